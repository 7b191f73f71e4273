"""Reads the descriptions of library functions: one text file a library, one line a function.

    # comment
    library cublas                      name in reports
    level library                       library | runtime
    soname libcublas.so                 a loaded file that begins so has this library's functions (may be repeated)
    scope caller                        caller: versioned, each caller has its own; global: first definition wins
    source cuda 13.0, 12.6              the headers that the description was compared with
    success 0                           the status that is no failure; absent: the result is no status
    status cublasStatus_t               the return type that is a status
    variant {} {}64_                    further names of every function of the file, as patterns
    integers wide                       passed on as 64 bits, read as 32 (BLAS)
    struct dim3 { unsigned x; unsigned y; unsigned z; }    passed by value
    enum cublasOperation_t CUBLAS_OP_ { N=0 T=1 C=2 }      the vendor's names, less the prefix they share
    enum CBLAS_DIAG Cblas { UNIT:Unit=132 }                ... or a name of ours: that of the vendor behind it
    more cudnnStatus_t { BAD_PARAM_8=3 }                   values that the headers compared with no longer have
    alias cudaDataType cudaDataType_t                      another name of an enumeration
    type cublasHandle_t handle          an opaque pointer: handle, stream, described, pointer ...
    type cudnnDataType_t enum           ... or a kind of number: enum, i4, i8, u4, u8, f4, f8
    type cudnnHandle_t handle+stream    a handle whose stream can be asked for: xsp_stream_of_TYPE
    layout cublasLtMatmul m:i8 type_a:e2{cudaDataType_t}   fields of a capture of its own, in the order of its bytes
    unwrapped cudaSetDevice dnnl_*_get_*                   declared by the vendor and of no interest, as patterns
    include cuda.types                                     reads a file of directives beside this one

    CLASS[(name=value,...)] SINCE-[UNTIL] RETURN NAME(TYPE NAME, ...)

    gemm(type_a=R_32F,type_b=R_32F,type_c=R_32F) 11.0- cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, ...)

CLASS: none (described and not wrapped), around (not recorded: xsp_before_NAME, which may change the arguments, and
xsp_after_NAME run around the call), time, gemm, gemv, blas, convolution, pooling, normalization, activation, softmax,
rnn, attention, tensor, backend-execute, launch, copy, memory, collective, sync, handle (creation and destruction); query
and descriptor calls are recorded with --library-calls all only. A class followed by `!` has a capture function of its own,
xsp_capture_NAME; of a handle, query or descriptor call, xsp_observe_NAME, which runs before the call whether or not that
is recorded. SINCE and UNTIL are versions of the library as in `source` (UNTIL: the first without it); SINCE is the first of
the compared versions that has the function, older ones than the oldest of them being unknown.

A line that opens a brace goes on until it is closed.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

CLASSES = [
    "none", "time", "gemm", "gemv", "blas", "convolution", "pooling", "normalization", "activation", "softmax", "rnn",
    "attention", "tensor", "backend-execute", "launch", "copy", "memory", "collective", "sync", "handle", "query",
    "descriptor", "around",
]  # fmt: skip
QUIET_CLASSES = {"query", "descriptor"}
OBSERVED_CLASSES = {"handle", "query", "descriptor"}  # those with `!` have an observer, not a capture


class DescriptionError(Exception):
    pass


@dataclass
class Parameter:
    type: str  # as written: "const float *", "cublasHandle_t", "int"
    name: str
    by_reference: bool = False  # BLAS of Fortran: "int&" and "char&" are pointers whose value is captured

    @property
    def argument(self):
        """Its name in a wrapper, whose own variables have no underscore at the end."""
        return self.name + "_"


@dataclass
class Function:
    library: "Library"
    name: str
    result: str
    parameters: list
    capture: str
    custom: bool
    constants: dict
    since: str
    until: str


@dataclass
class Library:
    name: str
    path: Path
    level: str = "library"
    sonames: list = field(default_factory=list)
    scope: str = "caller"
    source: str = ""
    success: int | None = None
    status: str = ""
    variants: list = field(default_factory=lambda: ["{}"])
    wide_integers: bool = False
    structs: dict = field(default_factory=dict)
    enums: dict = field(default_factory=dict)  # name -> {text: value}
    enum_prefixes: dict = field(default_factory=dict)
    full_names: dict = field(default_factory=dict)  # enumeration -> {text: the vendor's name, of whatever version}
    vendor_names: dict = field(default_factory=dict)  # enumeration -> {text: name in the header}, without those of `more`
    unwrapped: list = field(default_factory=list)
    types: dict = field(default_factory=dict)  # name -> kind
    layouts: dict = field(default_factory=dict)  # function name -> fields as written
    functions: list = field(default_factory=list)

    @property
    def level_number(self):
        return {"library": 4, "runtime": 5}[self.level]

    def expand(self, written):
        """A field with its enumeration spelled out: e2{cublasOperation_t} -> e2{0=N,1=T,2=C}."""

        def names(match):
            values = self.enums.get(match[1])
            if values is None:
                raise SystemExit(f"{self.path}: no enumeration {match[1]}")
            return "{" + ",".join(f"{value}={text}" for text, value in values.items()) + "}"

        return re.sub(r"\{([A-Za-z_]\w*)\}", names, written)


FUNCTION = re.compile(
    r"(?P<capture>[a-z-]+)(?P<custom>!?)(\((?P<constants>[^)]*)\))?\s+(?P<since>[\d.]+)-(?P<until>[\d.]*)\s+"
    r"(?P<result>[\w ]+?[\s*]+)(?P<name>\w+)\s*\((?P<parameters>.*)\)$"
)
PARAMETER = re.compile(r"(?P<type>.*?[\s*&])(?P<name>\w+)$")
DIRECTIVES = ("library", "level", "soname", "scope", "source", "success", "status", "variant", "integers", "struct",
              "enum", "more", "alias", "type", "layout", "unwrapped", "include")  # fmt: skip
ENUM = re.compile(r"(?P<name>\w+)(?:\s+(?P<prefix>\w+))?\s*\{(?P<entries>[^{}]*)\}$")


def parse_parameter(text):
    match = PARAMETER.match(text.strip())
    if not match:
        raise DescriptionError(f"no parameter: '{text.strip()}'")
    written = match["type"].strip()
    by_reference = written.endswith("&")
    return Parameter(re.sub(r"\s*\*", " *", written.rstrip("& ")).replace("* *", "**"), match["name"], by_reference)


def parse_function(library, text):
    match = FUNCTION.match(text)
    if not match:
        raise DescriptionError("neither a directive nor CLASS VERSIONS PROTOTYPE")
    if match["capture"] not in CLASSES:
        raise DescriptionError(f"unknown class '{match['capture']}'")
    listed = match["parameters"].strip()
    parameters = [] if listed in ("", "void") else [parse_parameter(part) for part in listed.split(",")]
    constants = dict(part.split("=", 1) for part in (match["constants"] or "").split(",") if part)
    return Function(library, match["name"], match["result"].strip(), parameters, match["capture"],
                    bool(match["custom"]), constants, match["since"], match["until"])  # fmt: skip


def parse_enum(library, rest, more):
    match = ENUM.match(rest)
    if not match:
        raise DescriptionError("no enumeration: NAME [PREFIX] { TEXT=VALUE ... }")
    name = match["name"]
    if more != (name in library.enums):
        raise DescriptionError(f"enumeration {name} is " + ("not described" if more else "described twice"))
    values, vendor_names = library.enums.setdefault(name, {}), library.vendor_names.setdefault(name, {})
    for entry in match["entries"].split():
        words, equals, value = entry.partition("=")
        text, _, own = words.partition(":")
        if not equals or not text:
            raise DescriptionError(f"no TEXT=VALUE: '{entry}'")
        if text in values:
            raise DescriptionError(f"{text} is in {name} twice")
        values[text] = int(value, 0)
        prefix = library.enum_prefixes.setdefault(name, match["prefix"] or "")
        library.full_names.setdefault(name, {})[text] = prefix + (own or text)
        if not more:
            vendor_names[text] = prefix + (own or text)
    library.types[name] = "enum"


def apply_directive(library, word, rest):
    if word == "soname":
        library.sonames.append(rest)
    elif word == "success":
        library.success = int(rest)
    elif word == "variant":
        library.variants = rest.split()
    elif word == "integers":
        library.wide_integers = rest == "wide"
    elif word == "struct":
        name, body = rest.split(None, 1)
        library.structs[name] = body
    elif word in ("enum", "more"):
        parse_enum(library, rest, word == "more")
    elif word == "alias":
        name, known = rest.split()
        if known not in library.enums:
            raise DescriptionError(f"no enumeration {known}")
        library.enums[name], library.types[name] = library.enums[known], "enum"
    elif word == "layout":
        name, fields = rest.split(None, 1)
        library.layouts[name] = fields
    elif word == "type":
        name, kind = rest.rsplit(None, 1)
        library.types[name] = kind
    elif word == "unwrapped":
        library.unwrapped += rest.split()
    elif word == "include":
        read_lines(library, library.path.parent / rest)
    else:
        setattr(library, word, rest)


def statements(path):
    """(line number, text) of what the file says, without comments."""
    start, held = 0, ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        text = line.split("#", 1)[0].strip()
        if not text:
            continue
        start, held = (start, f"{held} {text}") if held else (number, text)
        if held.count("{") <= held.count("}"):
            yield start, held
            held = ""
    if held:
        raise SystemExit(f"{path}:{start}: a brace is not closed")


def read_lines(library, path):
    for number, text in statements(path):
        word, _, rest = text.partition(" ")
        try:
            if word == "library":
                library.name = rest.strip()
            elif word in DIRECTIVES:
                apply_directive(library, word, rest.strip())
            else:
                library.functions.append(parse_function(library, text))
        except (DescriptionError, ValueError) as error:
            raise SystemExit(f"{path}:{number}: {error}") from None
        except FileNotFoundError as error:
            raise SystemExit(f"{path}:{number}: {error.filename} cannot be read") from None


def read_library(path):
    library = Library(name=path.stem, path=path)
    read_lines(library, path)
    names = [function.name for function in library.functions]
    if len(names) != len(set(names)):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise SystemExit(f"{path}: described twice: {', '.join(twice)}")
    return library


def read_all(paths):
    """Libraries in the order of the paths."""
    return [read_library(Path(path)) for path in paths]
