#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
# make_btf.py DIR: writes DIR/vmlinux and DIR/one, types of a kernel and of a module of it, in BTF.
import pathlib
import struct
import sys

INT, PTR, STRUCT, ENUM, TYPEDEF, CONST, FUNC, FUNC_PROTO = 1, 2, 4, 6, 8, 10, 12, 13


class Types:
    """The types and texts of one file; those of a module continue the kernel's numbers."""

    def __init__(self, kernel=None):
        self.first = kernel.first + kernel.count if kernel else 1
        self.offset = kernel.offset + len(kernel.texts) if kernel else 0
        self.count = 0
        self.types = b""
        self.texts = b"" if kernel else b"\0"

    def text(self, name):
        if not name:
            return 0
        place = self.offset + len(self.texts)
        self.texts += name.encode() + b"\0"
        return place

    def add(self, kind, name="", size_or_type=0, members=b"", count=0):
        self.types += struct.pack("<III", self.text(name), kind << 24 | count, size_or_type)
        self.types += members
        self.count += 1
        return self.first + self.count - 1

    def integer(self, name, size, signed):
        return self.add(INT, name, size, struct.pack("<I", signed << 24 | size * 8))

    def function(self, name, returns, *arguments):
        members = b"".join(struct.pack("<II", self.text(n), t) for n, t in arguments)
        kind = self.add(FUNC_PROTO, "", returns, members, len(arguments))
        return self.add(FUNC, name, kind) if name else kind

    def write(self, path):
        head = struct.pack("<HBBIIIII", 0xEB9F, 1, 0, 24, 0, len(self.types), len(self.types),
                           len(self.texts))
        path.write_bytes(head + self.types + self.texts)


def main():
    folder = pathlib.Path(sys.argv[1])
    kernel = Types()
    number = kernel.integer("int", 4, 1)
    size = kernel.add(TYPEDEF, "size_t", kernel.integer("unsigned long", 8, 0))
    ssize = kernel.add(TYPEDEF, "ssize_t", kernel.integer("long", 8, 1))
    letter = kernel.integer("char", 1, 1)
    text = kernel.add(PTR, "", kernel.add(CONST, "", letter))
    task = kernel.add(PTR, "", kernel.add(STRUCT, "task_struct", 64))
    nothing = kernel.add(PTR, "", 0)
    state = kernel.add(ENUM, "state", 4, struct.pack("<II", 0, 0), 1)
    kernel.function("vfs_read", ssize, ("file", nothing), ("buf", text), ("count", size))
    kernel.function("do_exit", 0, ("code", letter))
    kernel.function("__traceiter_sched_switch", number, ("__data", nothing), ("prev", task),
                    ("next", task), ("state", state))
    # A tracepoint of a kernel without names of its arguments.
    kernel.add(TYPEDEF, "btf_trace_nameless",
               kernel.add(PTR, "", kernel.function("", 0, ("", nothing), ("", number))))
    kernel.function("__se_sys_close", ssize, ("fd", number))
    kernel.write(folder / "vmlinux")
    module = Types(kernel)
    module.function("one_open", number, ("task", task), ("mode", module.integer("u16", 2, 0)))
    module.write(folder / "one")


if __name__ == "__main__":
    main()
