"""A classic AutoGen agent whose only way to a shell leads past a person. For `autogen` 0.14 and other 0.x lines.

pip install impri "autogen[openai]"
export IMPRI_API_KEY=im_… IMPRI_BASE_URL=http://127.0.0.1:8484 OPENAI_API_KEY=…
python autogen_classic.py "Restart the staging worker and see that it is healthy."
"""

import os
import sys

from autogen import ConversableAgent, UserProxyAgent, register_function

from impri import gated_shell

assistant = ConversableAgent(
    name="ops_assistant",
    system_message=(
        "You look after the staging server. gated_shell is your only way to run a shell command; a command has run "
        "only when it returned its output. Say TERMINATE when you are done."
    ),
    llm_config={"config_list": [{"model": "gpt-4o", "api_key": os.environ["OPENAI_API_KEY"]}]},
)

# code_execution_config=False: a code block in the chat is text. There is no second door to a shell.
executor = UserProxyAgent(name="executor", human_input_mode="NEVER", code_execution_config=False)

register_function(
    gated_shell,
    caller=assistant,
    executor=executor,
    description="Run a shell command if a person approves it. Returns what it printed.",
)

if __name__ == "__main__":
    executor.initiate_chat(assistant, message=sys.argv[1])
