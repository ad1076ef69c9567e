#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""terminal.py WORD KEYS COMMAND...: runs COMMAND on a terminal of its own, and types KEYS when it
has printed WORD. Prints what COMMAND printed, and exits with 0 if COMMAND did. Otherwise prints
on standard error how COMMAND ended, as subprocess returns it: -2 if SIGINT ended it, 130 if it
exited with 130. A shell would return 130 for both."""
import fcntl
import os
import subprocess
import sys
import termios
import threading

# Written to the terminal when COMMAND has ended. The terminal stays open until this is read: after its last
# close a read may fail though not all output was read.
END = b"\0terminal.py: end\0"

word, keys = (os.fsencode(argument) for argument in sys.argv[1:3])
ours, its = os.openpty()
command = subprocess.Popen(
    sys.argv[3:], stdin=its, stdout=its, stderr=its, start_new_session=True,
    preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))


def write_end():
    command.wait()
    os.write(its, END)


threading.Thread(target=write_end, daemon=True).start()
seen, shown = b"", 0
while END not in seen:
    seen += os.read(ours, 4096)
    # The last bytes may be the beginning of END.
    until = seen.find(END) if END in seen else max(shown, len(seen) - len(END))
    sys.stdout.buffer.write(seen[shown:until])
    sys.stdout.buffer.flush()
    shown = until
    if keys and word in seen:
        os.write(ours, keys)
        keys = b""
if command.wait():
    sys.exit(str(command.returncode))
