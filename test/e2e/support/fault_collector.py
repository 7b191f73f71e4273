"""A collector of a test's own making: a script around xsp-collector, named by XSP_COLLECTOR."""
import shlex
from pathlib import Path

from .xsp_e2e import XSP_COLLECTOR, clean_environment


def wrapped_collector(folder, before="", **environment):
    """Environment of xsp-run whose collector is started with this environment, after the shell commands `before`."""
    script = Path(folder) / "collector-of-the-test"
    settings = " ".join(f"{name}={shlex.quote(str(value))}" for name, value in environment.items())
    script.write_text(f'#!/bin/bash\n{before}\nexec env {settings} "{XSP_COLLECTOR}" "$@"\n')
    script.chmod(0o755)
    return clean_environment(XSP_COLLECTOR=script)
