"""Verifies receipts with libraries that are not Impri's, by the very lines that docs/receipts.md shows.

Reads JSON from stdin: the document, the JWK Set, the Unix second that it is, and cases of a receipt and a content.
Writes for each case what the receipt says, or why it was refused.
"""

import json
import re
import sys
import time
import warnings

warnings.simplefilter("ignore")  # RFC 9864 gave EdDSA a second name, which joserfc points out at every call

task = json.load(sys.stdin)
time.time = lambda: task["now"]
with open(task["document"], encoding="utf-8") as document:
    shown = re.search(r"```python\n(.*?)```", document.read(), re.DOTALL)
recipe = {}
exec(shown.group(1), recipe)

answers = []
for case in task["cases"]:
    try:
        answers.append({"claims": recipe["approved"](case["receipt"], task["jwks"], case["content"])})
    except Exception as refusal:
        answers.append({"refused": f"{type(refusal).__name__}: {refusal}"})
json.dump(answers, sys.stdout)
