"""A tool of the OpenAI Agents SDK that writes e-mail only as a person approved it, edits and all.

pip install impri openai-agents
export IMPRI_API_KEY=im_… IMPRI_BASE_URL=http://127.0.0.1:8484 OPENAI_API_KEY=…
python openai_agents_tool.py "Tell Sarah that the review is on Monday."
"""

import asyncio
import os
import sys
from email.message import EmailMessage
from pathlib import Path

from agents import Agent, Runner, function_tool, set_default_openai_api, set_tracing_disabled

import impri

OUTBOX = Path(os.environ.get("OUTBOX", "outbox.txt"))


def deliver(message: EmailMessage) -> None:
    """Where your own mail goes out, and the only place that holds the password."""
    with OUTBOX.open("ab") as outbox:
        outbox.write(bytes(message))


def what_to_tell(_: object, error: Exception) -> str:
    """Tells the model that it was a no. Its own words would be to try again."""
    return f"The e-mail was not sent. {error}"


@function_tool(failure_error_function=what_to_tell)
@impri.gate(kind="email.send", title="E-mail to {to}: {subject}", editable=["subject", "body"], idempotent=False)
async def send_email(to: str, subject: str, body: str) -> str:
    """Send an e-mail, once a person approved it. They may change the subject and the text."""
    message = EmailMessage()
    message["To"], message["Subject"] = to, subject
    message.set_content(body)
    deliver(message)
    # The person may have changed it, and the model should not send it again because of that.
    return f"Sent to {to}, as approved: {subject}\n{body}"


async def main(task: str) -> None:
    """Gives an agent its task."""
    agent = Agent(name="assistant", model="gpt-4o", instructions="You write e-mail.", tools=[send_email])
    result = await Runner.run(agent, task)
    print(result.final_output)


if __name__ == "__main__":
    set_default_openai_api("chat_completions")
    set_tracing_disabled(disabled=True)
    asyncio.run(main(sys.argv[1]))
