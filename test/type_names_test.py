"""Two types of one name in one namespace are undefined behaviour that no compiler tells: std::vector of the one is taken for
that of the other. Types of .cc files stand in unnamed namespaces: type_names_test.py SOURCE_ROOT.
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(sys.argv[1])
TYPE = re.compile(r"^(?:template <.*> )?(?:struct|class|union|enum(?: class)?) (\w+)(?: final)?(?: : [^{;]*)? \{")


def types(path):
    """Types with external linkage, with their namespaces: (namespace, name)."""
    namespaces = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if opened := re.match(r"(?:inline )?namespace ?([\w:]*) ?\{$", line):
            namespaces.append(opened[1])
        elif line.startswith("}") and "// namespace" in line:
            namespaces.pop()
        elif (found := TYPE.match(line)) and "" not in namespaces:
            yield "::".join(namespaces), found[1]


places = defaultdict(list)
for path in sorted((ROOT / "analysis").rglob("*")):
    if path.suffix in (".h", ".cc"):
        for name in types(path):
            places[name].append(str(path.relative_to(ROOT)))
if len(places) < 100:
    sys.exit(f"only {len(places)} types found: the test does not read the sources any more")
twice = {name: files for name, files in places.items() if len(files) > 1}
for (namespace, name), files in twice.items():
    print(f"FAILED: {namespace}::{name} is defined in {' and in '.join(files)}")
sys.exit(1 if twice else 0)
