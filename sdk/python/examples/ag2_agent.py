"""An AG2 agent whose only way to a shell leads past a person. For `ag2` 1.x, a new API under a new name.

pip install impri "ag2[openai]"
export IMPRI_API_KEY=im_… IMPRI_BASE_URL=http://127.0.0.1:8484 OPENAI_API_KEY=…
python ag2_agent.py "Restart the staging worker and see that it is healthy."
"""

import asyncio
import sys

from ag2 import Agent, tool
from ag2.config import OpenAIConfig

from impri import gated_shell_async

agent = Agent(
    "ops_assistant",
    prompt="You look after the staging server. gated_shell_async is your only way to run a shell command.",
    config=OpenAIConfig(model="gpt-4o"),
    # Awaited, not run in a thread: when the run is cancelled, the waiting proposal is withdrawn.
    tools=[tool(gated_shell_async)],
)


async def main(task: str) -> None:
    """Gives the agent its task."""
    reply = await agent.ask(task)
    print(reply.body)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
