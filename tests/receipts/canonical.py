"""Writes JSON in its canonical form with a library that is not Impri's.

Reads a JSON text per line from stdin, and writes for each the hexadecimal digits of its RFC 8785 form.
"""

import json
import sys

import rfc8785

for line in sys.stdin:
    print(rfc8785.dumps(json.loads(line)).hex())
