"""`python -m tests.moving.little_room BYTES COMMAND...`: where no file may become larger."""

import resource
import runpy
import sys

if __name__ == "__main__":
    most = int(sys.argv.pop(1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    runpy.run_module("homeshelf", run_name="__main__", alter_sys=True)
