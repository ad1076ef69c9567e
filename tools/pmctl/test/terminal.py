#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""terminal.py WORD KEYS COMMAND...: runs COMMAND on a terminal of its own, and types KEYS when it
has printed WORD. Prints what was to be seen; ends with 0 if COMMAND did. Else says on standard
error what became of it, in subprocess's way: -2 is death by SIGINT, which a shell would call 130
as it does any program that exits with that."""
import fcntl
import os
import subprocess
import sys
import termios

word, keys = (os.fsencode(argument) for argument in sys.argv[1:3])
ours, its = os.openpty()
command = subprocess.Popen(
    sys.argv[3:], stdin=its, stdout=its, stderr=its, start_new_session=True,
    preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
os.close(its)
seen = b""
while True:
    try:
        new = os.read(ours, 4096)
    except OSError:
        # No process has the terminal open any more.
        break
    sys.stdout.buffer.write(new)
    sys.stdout.buffer.flush()
    seen += new
    if keys and word in seen:
        os.write(ours, keys)
        keys = b""
if command.wait():
    sys.exit(str(command.returncode))
