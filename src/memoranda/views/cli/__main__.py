"""`python -m memoranda.views.cli` is the same as `memoranda`."""

import sys

from memoranda.views.cli import main

sys.exit(main())
