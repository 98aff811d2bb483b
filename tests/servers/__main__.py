"""`python -m tests.servers install` downloads the missing servers."""

import sys

from tests.servers.programs import NotInstalled, install

try:
    if sys.argv[1:] != ["install"]:
        sys.exit("usage: python -m tests.servers install")
    install()
except NotInstalled as error:
    sys.exit(str(error))
