#!/usr/bin/env python3
"""Every message that doc/errors.md names is one that the programs have.

errors_doc_test.py SOURCE_ROOT
"""

import pathlib
import re
import sys


def literals(root):
    """The text of all string literals, neighbours joined as the compiler does."""
    texts = []
    for folder in ("analysis", "base", "bound", "collector", "import", "inject"):
        for path in pathlib.Path(root, folder).rglob("*"):
            if path.suffix in (".cc", ".h"):
                source = path.read_text(encoding="utf-8")
                source = re.sub(r'"\s*\n\s*"', "", source)
                texts += re.findall(r'"((?:[^"\\\n]|\\.)*)"', source)
    return "\n".join(texts).replace('\\"', '"')


def main():
    root = sys.argv[1]
    known = literals(root)
    missing, checked = [], 0
    for line in pathlib.Path(root, "doc/errors.md").read_text(encoding="utf-8").splitlines():
        if not line.startswith("| `") or line.startswith(("| `xsp-run", "| `xsp-report", "| `xsp-import", "| `xsp-bound", "| `xsp-coll")):
            continue
        for message in re.findall(r"`([^`]*)`", line.split(" | ")[0]):
            checked += 1
            for part in message.split("…"):
                words = part.strip(" '\"():")
                if words and words not in known:
                    missing.append(f"{message}: no source has “{words}”")
    if checked < 30:
        sys.exit(f"only {checked} messages found in doc/errors.md: has its form changed?")
    if missing:
        sys.exit("\n".join(missing))


if __name__ == "__main__":
    main()
