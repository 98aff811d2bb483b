"""`python -m tests.moving.killed_at NUMBER COMMAND...` dies before it has done so much.

It counts what gives files their names and takes them away.
"""

import os
import runpy
import signal
import sys
from collections.abc import Callable
from typing import Any

TOUCHES = ("link", "unlink", "replace", "rename")


def main(number: int) -> None:
    left = number

    def dying(touch: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return touch(*arguments, **named)

        return call

    for name in TOUCHES:
        setattr(os, name, dying(getattr(os, name)))
    runpy.run_module("homeshelf", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(int(sys.argv.pop(1)))
