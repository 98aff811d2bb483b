"""A process that may do no more than its user, also where that is root: rights to files hold for
it.

    with served(folder, within=WITHIN):
        (folder / "data").chmod(0o500)
"""

import ctypes
import runpy

WITHIN = ("tests.faults.without_rights",)
_VERSION_3 = 0x20080522


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


def main() -> None:
    none = (ctypes.c_uint32 * 6)()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.capset(ctypes.byref(_Header(_VERSION_3, 0)), none) != 0:
        raise OSError(ctypes.get_errno(), "its rights cannot be given up")
    runpy.run_module("homeshelf", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
