"""check_includes.py refuses what it is for: check_includes_test.py SOURCE_ROOT."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop(1))


class CheckIncludes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("analysis/floors.txt", "# lowest first\nlow  numbers\nhigh tables\n")
        self.write("analysis/low/number.h", "#pragma once\n")
        self.write("analysis/high/table.h", '#include "analysis/low/number.h"\n#include "base/status.h"\n')
        self.write("base/status.h", '#include "proto/wire.h"\n')
        self.write("proto/wire.h", "#pragma once\n")
        self.write("collector/main.cc", '#include "proto/wire.h"\n#include <vector>\n')

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def check(self):
        ran = subprocess.run([SOURCE / "scripts/check_includes.py", self.root], capture_output=True, text=True)
        return ran.returncode, ran.stdout

    def refused(self, name, include, why):
        self.write(name, f'#include "{include}"\n')
        status, said = self.check()
        self.assertEqual(status, 1)
        self.assertIn(f"{name}:1:", said)
        self.assertIn(why, said)

    def test_downwards_and_to_the_boundary_is_right(self):
        self.assertEqual(self.check(), (0, ""))

    def test_upwards_is_refused(self):
        self.refused("analysis/low/number.cc", "analysis/high/table.h", "analysis/low is below it")

    def test_across_stages_is_refused(self):
        self.refused("collector/join.cc", "analysis/low/number.h", "collector/ must not include analysis/low/")

    def test_the_boundary_includes_no_stage(self):
        self.refused("proto/row.h", "base/status.h", "proto/ must not include base/")

    def test_tests_are_included_by_nobody(self):
        self.refused("base/text.cc", "test/catch.h", "is of the tests")

    def test_a_folder_that_the_list_lacks_is_refused(self):
        self.write("analysis/new/thing.cc", "\n")
        status, said = self.check()
        self.assertEqual(status, 1)
        self.assertIn("does not name its folder", said)


if __name__ == "__main__":
    unittest.main()
