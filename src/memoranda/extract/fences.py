"""What keeps an extractor in: called once in the child, before any library that reads media is loaded.

Linux: rlimits for memory, processor time, file size and open files; Landlock (5.13 and later) leaves files readable
only where programs lie and writable only in scratch, and from 6.7 on forbids TCP; a seccomp filter (x86-64, aarch64)
forbids sockets, starting programs, tracing, mounting and rings that go around it. Elsewhere: rlimits alone.

Numbers: include/uapi/linux/{landlock,seccomp,prctl,audit}.h and the system call tables of the two architectures.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Sequence

_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP = 1, 38, 22
_SECCOMP_MODE_FILTER = 2
_LANDLOCK_CREATE_RULESET, _LANDLOCK_ADD_RULE, _LANDLOCK_RESTRICT_SELF = 444, 445, 446
_RULE_PATH_BENEATH = 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
#: File rights by Landlock version: 13 at first, then refer (2), truncate (3), device ioctl (5).
_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
_DEVICE_IOCTL = 1 << 15
_NET_TCP = 3
_READ = _READ_FILE | _READ_DIR
_OF_A_FILE = _EXECUTE | _WRITE_FILE | _READ_FILE | (1 << 14) | _DEVICE_IOCTL

#: Read-only places every interpreter and media library needs.
_SYSTEM = (
    "/usr", "/lib", "/lib64", "/lib32", "/bin", "/opt", "/proc", "/sys/devices/system", "/dev/null", "/dev/zero",
    "/dev/urandom", "/dev/random", "/etc/ld.so.cache", "/etc/localtime", "/etc/mime.types", "/etc/fonts",
)  # fmt: skip

#: arch name -> (audit arch, calls that are forbidden)
_CALLS: dict[str, tuple[int, dict[str, int]]] = {
    "x86_64": (0xC000003E, {
        "socket": 41, "connect": 42, "bind": 49, "listen": 50, "execve": 59, "execveat": 322, "ptrace": 101,
        "process_vm_readv": 310, "process_vm_writev": 311, "mount": 165, "umount2": 166, "pivot_root": 155,
        "unshare": 272, "setns": 308, "bpf": 321, "perf_event_open": 298, "add_key": 248, "request_key": 249,
        "keyctl": 250, "io_uring_setup": 425, "userfaultfd": 323, "kill": 62, "tkill": 200, "init_module": 175,
        "finit_module": 313, "kexec_load": 246, "open_by_handle_at": 304, "memfd_create": 319, "pidfd_getfd": 438,
    }),
    "aarch64": (0xC00000B7, {
        "socket": 198, "connect": 203, "bind": 200, "listen": 201, "execve": 221, "execveat": 281, "ptrace": 117,
        "process_vm_readv": 270, "process_vm_writev": 271, "mount": 40, "umount2": 39, "pivot_root": 41,
        "unshare": 97, "setns": 268, "bpf": 280, "perf_event_open": 241, "add_key": 217, "request_key": 218,
        "keyctl": 219, "io_uring_setup": 425, "userfaultfd": 282, "kill": 129, "tkill": 130, "init_module": 105,
        "finit_module": 273, "kexec_load": 104, "open_by_handle_at": 265, "memfd_create": 279, "pidfd_getfd": 438,
    }),
}  # fmt: skip


class Limits(NamedTuple):
    """`seconds` of the clock, `cpu_seconds` of processor time; bytes of memory, of a written file, of the answer."""

    seconds: float = 600.0
    cpu_seconds: int = 1200
    memory_bytes: int = 6 << 30
    file_bytes: int = 1 << 30
    answer_bytes: int = 64 << 20


def enclose(scratch: Path, readable: Sequence[Path], limits: Limits) -> tuple[str, ...]:
    """Put up every fence that this platform has; the names of those that stand. Cannot be taken down again."""
    standing = _rlimits(limits)
    if sys.platform != "linux":
        return standing
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, 9, 0, 0, 0)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return standing
    return standing + _landlock(libc, scratch, readable) + _seccomp(libc)


def _rlimits(limits: Limits) -> tuple[str, ...]:
    try:
        import resource
    except ImportError:  # Windows
        return ()
    wanted = [
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, limits.cpu_seconds),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_AS, limits.memory_bytes),
    ]
    for which, value in wanted:
        with suppress(ValueError, OSError):  # macOS knows no bound of address space
            hard = resource.getrlimit(which)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(which, (value, value))
    return ("rlimits",)


def _landlock(libc: ctypes.CDLL, scratch: Path, readable: Sequence[Path]) -> tuple[str, ...]:
    version = libc.syscall(_LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return ()
    rights = _RIGHTS[min(version, 5)]
    ruleset = struct.pack("=QQ", rights, _NET_TCP) if version >= 4 else struct.pack("=Q", rights)
    fd = libc.syscall(_LANDLOCK_CREATE_RULESET, ruleset, ctypes.c_size_t(len(ruleset)), 0)
    if fd < 0:
        return ()
    for place in {*_SYSTEM, *map(str, readable)}:
        _allow(libc, fd, place, _READ)
    for place in ("/dev/null", "/dev/zero"):
        _allow(libc, fd, place, _READ_FILE | _WRITE_FILE)
    _allow(libc, fd, str(scratch), rights & ~(_EXECUTE | _DEVICE_IOCTL))
    done = libc.syscall(_LANDLOCK_RESTRICT_SELF, fd, 0) == 0
    os.close(fd)
    return ((f"landlock {version}",) + (("no tcp",) if version >= 4 else ())) if done else ()


def _allow(libc: ctypes.CDLL, ruleset: int, place: str, rights: int) -> None:
    try:
        fd = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not os.path.isdir(place):
            rights &= _OF_A_FILE
        libc.syscall(_LANDLOCK_ADD_RULE, ruleset, _RULE_PATH_BENEATH, struct.pack("=Qi", rights, fd), 0)
    finally:
        os.close(fd)


def _seccomp(libc: ctypes.CDLL) -> tuple[str, ...]:
    """A filter that answers EPERM to the listed calls, and ends the process for calls of another architecture."""
    known = _CALLS.get(platform.machine())
    if known is None:
        return ()
    arch, calls = known
    load, equal, at_least, give = 0x20, 0x15, 0x35, 0x06
    kill, refuse, allow = 0x80000000, 0x00050000 | errno.EPERM, 0x7FFF0000
    program = [(load, 0, 0, 4), (equal, 1, 0, arch), (give, 0, 0, kill), (load, 0, 0, 0)]
    if platform.machine() == "x86_64":  # calls of the x32 table
        program += [(at_least, 0, 1, 0x40000000), (give, 0, 0, refuse)]
    for number in sorted(calls.values()):
        program += [(equal, 0, 1, number), (give, 0, 0, refuse)]
    program.append((give, 0, 0, allow))
    code = b"".join(struct.pack("=HBBI", *step) for step in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    head = struct.pack("@HP", len(program), ctypes.addressof(buffer))
    return ("seccomp",) if libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, head, 0, 0) == 0 else ()
