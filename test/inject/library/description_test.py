"""What the descriptions may say, and what is told of a mistake: description_test.py SOURCE_ROOT."""

import sys
import tempfile
import unittest
from pathlib import Path

SOURCE_ROOT = Path(sys.argv.pop())
sys.path.insert(0, str(SOURCE_ROOT / "inject/library"))
import description  # noqa: E402

FOLDER = SOURCE_ROOT / "inject/library/description"


class DescriptionTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def read(self, text):
        path = self.folder / "made.txt"
        path.write_text(text)
        return description.read_library(path)

    def message(self, text):
        with self.assertRaises(SystemExit) as raised:
            self.read(text)
        return str(raised.exception).removeprefix(str(self.folder) + "/")

    def test_function_line(self):
        library = self.read("gemm(type_a=R_32F,type_b=R_32F) 11.0-13.0 made_t f(const float *a, int n, void **out) # why\n")
        (function,) = library.functions
        self.assertEqual((function.name, function.result, function.capture), ("f", "made_t", "gemm"))
        self.assertEqual([(p.type, p.name) for p in function.parameters],
                         [("const float *", "a"), ("int", "n"), ("void **", "out")])  # fmt: skip
        self.assertEqual((function.since, function.until), ("11.0", "13.0"))
        self.assertEqual(function.constants, {"type_a": "R_32F", "type_b": "R_32F"})

    def test_reference_parameters(self):
        (function,) = self.read("gemm 1.0- void f(char& transa, int& m)\n").functions
        self.assertEqual([(p.type, p.by_reference) for p in function.parameters], [("char", True), ("int", True)])

    def test_enumeration_of_several_lines(self):
        library = self.read("enum op_t VENDOR_OP_ {\n  N=0 T=1 # more\n  SHORT:CONJUGATED=0x10\n}\n")
        self.assertEqual(library.enums["op_t"], {"N": 0, "T": 1, "SHORT": 16})
        self.assertEqual(library.vendor_names["op_t"]["SHORT"], "VENDOR_OP_CONJUGATED")

    def test_more_values_are_not_the_vendors(self):
        library = self.read("enum status_t S_ { OK=0 BAD=2000 }\nmore status_t { BAD_8=3 }\n")
        self.assertEqual(library.enums["status_t"]["BAD_8"], 3)
        self.assertNotIn("BAD_8", library.vendor_names["status_t"])

    def test_include_and_alias(self):
        (self.folder / "common.types").write_text("enum data_t D_ { F32=0 }\nalias data data_t\n")
        library = self.read("include common.types\n")
        self.assertEqual(library.enums["data"], {"F32": 0})
        self.assertEqual(library.types["data"], "enum")

    def test_mistakes_name_their_line(self):
        cases = {
            "library made\nwhat is this\n": "made.txt:2: neither a directive nor CLASS VERSIONS PROTOTYPE",
            "fly 1.0- void f()\n": "made.txt:1: unknown class 'fly'",
            "time 1.0- void f(int)\n": "made.txt:1: no parameter: 'int'",
            "time 1.0- void f()\ntime 1.0- void f()\n": "made.txt: described twice: f",
            "enum op_t { N }\n": "made.txt:1: no TEXT=VALUE: 'N'",
            "enum op_t { N=0 N=1 }\n": "made.txt:1: N is in op_t twice",
            "enum op_t { N=0 }\nenum op_t { T=1 }\n": "made.txt:2: enumeration op_t is described twice",
            "more op_t { N=0 }\n": "made.txt:1: enumeration op_t is not described",
            "alias a b\n": "made.txt:1: no enumeration b",
            "\nenum op_t {\n N=0\n": "made.txt:2: a brace is not closed",
            "success yes\n": "made.txt:1: invalid literal",
        }
        for text, expected in cases.items():
            with self.subTest(text):
                self.assertTrue(self.message(text).startswith(expected), self.message(text))

    def test_missing_include(self):
        self.assertRegex(self.message("include absent.types\n"), r"^made.txt:1: .*absent.types cannot be read$")

    def test_the_descriptions_are_whole(self):
        for path in sorted(FOLDER.glob("*.txt")):
            library = description.read_library(path)
            with self.subTest(library.name):
                self.assertEqual(library.name, path.stem)
                self.assertTrue(library.functions and library.sonames and library.source)
                self.assertIn(library.scope, ("caller", "global"))
                if library.status:
                    self.assertIn(library.success, library.enums[library.status].values())
                custom = {f.name for f in library.functions if f.custom and f.capture not in description.OBSERVED_CLASSES}
                self.assertEqual(custom, set(library.layouts))


if __name__ == "__main__":
    unittest.main()
