#!/usr/bin/env python3
"""usage: expect_failure.py REASON COMMAND... : passes when COMMAND fails and prints a line that matches REASON."""
import re
import subprocess
import sys

reason, command = sys.argv[1], sys.argv[2:]
run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
text = run.stdout.decode(errors="replace")
found = re.search(reason, text)
if run.returncode == 0 or not found:
    print(text)
    print(f"exit {run.returncode}; expected a failure with /{reason}/")
    sys.exit(1)
print(f"failed as it should: exit {run.returncode}, {found.group(0)}")
print("1 passed, 0 failed")
