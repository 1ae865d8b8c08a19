"""An AutoGen assistant whose only way to a shell leads past a person.

The classic API: the assistant may call one function, the user proxy runs no code that the model writes, and the
function runs a command only after Impri says that somebody approved it.

Environment: IMPRI_URL, IMPRI_API_KEY, TASK; OPENAI_BASE_URL and OPENAI_API_KEY as the OpenAI client reads them.
"""

import os
import subprocess
import time

import requests
from autogen import ConversableAgent, UserProxyAgent, register_function

IMPRI = os.environ["IMPRI_URL"]
HEADERS = {"Authorization": f"Bearer {os.environ['IMPRI_API_KEY']}", "Content-Type": "application/json"}
WHAT_IT_DOES = "Ask a person to approve a shell command, then run it if they did."


def run_if_approved(command: str, purpose: str) -> str:
    """Ask a person to approve a shell command, then run it if they did."""
    proposal = {
        "kind": "code.execute",
        "title": f"Run: {command[:60]}",
        "preview": {"format": "markdown", "body": f"**Purpose:** {purpose}\n\n```bash\n{command}\n```"},
        "expires_in": 1800,
        "idempotent": False,
        "undo": "Nothing undoes this by itself; look at the command before approving.",
    }
    action = requests.post(f"{IMPRI}/v1/actions", headers=HEADERS, json=proposal).json()

    while True:
        state = requests.get(f"{IMPRI}/v1/actions/{action['id']}", headers=HEADERS).json()
        if state["status"] != "pending":
            break
        time.sleep(10)

    if state["status"] != "approved":
        return f"Not run: the request is {state['status']}."

    ran = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=120)
    report = {
        "status": "executed" if ran.returncode == 0 else "execute_failed",
        "payload": {"exit_code": ran.returncode, "stdout": ran.stdout[-2000:]},
    }
    requests.post(f"{IMPRI}/v1/actions/{action['id']}/result", headers=HEADERS, json=report)
    return ran.stdout or f"The command ended with {ran.returncode}."


assistant = ConversableAgent(
    name="ops_assistant",
    system_message=(
        "You look after the staging server. run_if_approved is your only way to run a shell command; "
        "a command has run only when the function returned its output."
    ),
    llm_config={"config_list": [{"model": "gpt-4o", "api_key": os.environ["OPENAI_API_KEY"]}]},
)

executor = UserProxyAgent(name="executor", human_input_mode="NEVER", code_execution_config=False)

register_function(run_if_approved, caller=assistant, executor=executor, description=WHAT_IT_DOES)

executor.initiate_chat(assistant, message=os.environ["TASK"])
