"""A Microsoft AutoGen agent whose only way to a shell leads past a person. For `autogen-agentchat` 0.4 and later.

pip install impri autogen-agentchat "autogen-ext[openai]"
export IMPRI_API_KEY=im_… IMPRI_BASE_URL=http://127.0.0.1:8484 OPENAI_API_KEY=…
python agentchat.py "Restart the staging worker and see that it is healthy."
"""

import asyncio
import sys

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient

from impri import gated_shell_async


async def main(task: str) -> None:
    """Gives an agent its task."""
    model = OpenAIChatCompletionClient(model="gpt-4o")
    agent = AssistantAgent(
        "ops_assistant",
        model_client=model,
        system_message="You look after the staging server. gated_shell_async is your only way to run a shell command.",
        tools=[gated_shell_async],
        reflect_on_tool_use=True,
    )
    result = await agent.run(task=task)
    print(result.messages[-1].to_text())
    await model.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
