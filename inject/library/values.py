"""What a wrapper captures of a call, from the types of its parameters: C types, field names, the layout string."""

import re
from dataclasses import dataclass

from description import OBSERVED_CLASSES

UNCAPTURED_CLASSES = {"time", "handle", "query", "descriptor", "none", "around"}

NUMBERS = {
    "char": ("char", "i1"), "signed char": ("int8_t", "i1"), "unsigned char": ("uint8_t", "u1"),
    "int8_t": ("int8_t", "i1"), "int16_t": ("int16_t", "i2"), "uint16_t": ("uint16_t", "u2"),
    "short": ("int16_t", "i2"), "unsigned short": ("uint16_t", "u2"),
    "int": ("int32_t", "i4"), "unsigned": ("uint32_t", "u4"), "unsigned int": ("uint32_t", "u4"),
    "int32_t": ("int32_t", "i4"), "uint32_t": ("uint32_t", "u4"), "bool": ("_Bool", "u1"),
    "long": ("int64_t", "i8"), "unsigned long": ("uint64_t", "u8"),
    "long long": ("int64_t", "i8"), "unsigned long long": ("uint64_t", "u8"),
    "int64_t": ("int64_t", "i8"), "uint64_t": ("uint64_t", "u8"), "size_t": ("size_t", "u8"),
    "float": ("float", "f4"), "double": ("double", "f8"),
}  # fmt: skip
KINDS = {"i4": "int32_t", "i8": "int64_t", "u4": "uint32_t", "u8": "uint64_t", "f4": "float", "f8": "double",
         "u2": "uint16_t", "i2": "int16_t", "u1": "uint8_t", "i1": "int8_t"}  # fmt: skip

# The same thing has the same name in all libraries.
FIELD_NAMES = {
    "transa": "op_a", "transb": "op_b", "trans_a": "op_a", "trans_b": "op_b", "trans": "op_a",
    "atype": "type_a", "btype": "type_b", "ctype": "type_c", "a_type": "type_a", "b_type": "type_b",
    "c_type": "type_c", "compute_type": "compute", "batch_count": "batch", "batch_size": "batch",
    "work_space_size_in_bytes": "workspace", "workspace_size_in_bytes": "workspace", "work_space_size": "workspace",
    "stream_id": "stream", "h_stream": "stream", "shared_mem": "shared_bytes", "grid_dim": "grid", "block_dim": "block",
    "m_": "m", "n_": "n", "inc_x": "incx", "inc_y": "incy", "group_size": "batch",
}  # fmt: skip

# A Fortran character argument, by either case.
CHARACTERS = {
    "op": {"N": "N", "T": "T", "C": "C", "R": "R", "n": "N", "t": "T", "c": "C", "r": "R"},
    "uplo": {"U": "U", "L": "L", "u": "U", "l": "L"},
    "side": {"L": "L", "R": "R", "l": "L", "r": "R"},
    "diag": {"N": "N", "U": "U", "n": "N", "u": "U"},
}


def bare(type):
    return re.sub(r"\b(const|struct|enum|volatile)\b", "", type).strip()


def is_pointer(type):
    return type.endswith("*") or type.endswith("]")


def kind_of(library, type):
    """"pointer", "handle", "stream", "described", "handle+stream", "enum", "struct", or a number's kind."""
    if is_pointer(type):
        return "pointer"
    name = bare(type)
    if name in library.structs:
        return "struct"
    if name in library.types:
        return library.types[name]
    if name in NUMBERS:
        return NUMBERS[name][1]
    raise SystemExit(f"{library.path}: type '{name}' is neither described nor known")


def c_type(library, parameter):
    """The type it is passed on as: pointers and handles as void *, enumerations as int."""
    if parameter.by_reference:
        return "void *"
    kind = kind_of(library, parameter.type)
    name = bare(parameter.type)
    if kind in ("pointer", "handle", "stream", "described", "handle+stream"):
        return "void *"
    if kind == "struct":
        return f"struct xsp_{name}"
    if kind == "enum":
        return "int"
    if library.wide_integers and kind in ("i4", "i8", "u4", "u8"):
        return "int64_t"
    return NUMBERS[name][0] if name in NUMBERS else KINDS[kind]


def result_type(function):
    library, result = function.library, function.result
    if result == "void":
        return "void"
    kind = kind_of(library, result)
    # Some Fortran compilers return a real in double precision: the register is passed on whole.
    if library.wide_integers and kind in ("f4", "f8"):
        return "double"
    if library.wide_integers and kind in ("i4", "i8"):
        return "int64_t"
    if kind in ("pointer", "handle", "stream", "described", "handle+stream"):
        return "void *"
    if kind == "enum":
        return "int"
    return NUMBERS[bare(result)][0] if bare(result) in NUMBERS else KINDS[kind]


def field_name(parameter_name):
    """streamId -> stream, Atype -> type_a, xDesc -> x, batchCount -> batch."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", parameter_name).lower()
    described = re.sub(r"(?<=.)_?desc(riptor)?$", "", snake)
    # A descriptor is never what a plain argument of that name is: cuDNN's transDesc is no transposition.
    return FIELD_NAMES.get(snake, described)


def enum_names(values):
    return "{" + ",".join(f"{value}={text}" for text, value in values.items()) + "}"


def enum_width(values):
    return 2 if all(-32768 <= value <= 32767 for value in values.values()) else 4


def character_names(name):
    for word, letters in CHARACTERS.items():
        if name.startswith(word):
            return "{" + ",".join(f"{ord(letter)}={text}" for letter, text in letters.items()) + "}"
    return "{}"


@dataclass
class Field:
    name: str
    written: str  # in the layout string: "i4", "e2{0=N,1=T}"
    c_type: str
    expression: str


def enum_field(library, name, type, expression):
    values = library.enums.get(bare(type), {})
    width = enum_width(values)
    return Field(name, f"e{width}{enum_names(values)}", f"int{8 * width}_t", expression)


def status_field(library, width, expression):
    """A status is shown by the library's own name for it, prefix and all."""
    names = library.full_names.get(library.status, {})
    pairs = (f"{value}={names[text]}" for text, value in library.enums.get(library.status, {}).items())
    return Field("status", f"e{width}{{{','.join(pairs)}}}", f"int{8 * width}_t", expression)


def struct_fields(library, name, parameter):
    members = re.findall(r"(\w[\w ]*?)\s+(\w+);", library.structs[bare(parameter.type)])
    for type, member in members:
        if type in NUMBERS:
            c, kind = NUMBERS[type]
            yield Field(f"{name}_{member}", kind, c, f"{parameter.argument}.{member}")


def first_group_fields(function, parameter):
    """Of a product of groups, whose sizes are arrays with an element a group: those of the first one."""
    (groups,) = [p for p in function.parameters if p.name == "group_count"]
    library, pointee = function.library, bare(parameter.type.rstrip("* "))
    if parameter.type.count("*") != 1 or pointee in ("void", "float", "double"):
        return
    name = field_name(re.sub(r"_[Aa]rray$", "", parameter.name))
    count = f"*(const int32_t *){groups.argument}" if groups.by_reference else f"(int32_t){groups.argument}"
    # As wide as in the shorter of the two integers that a library may have.
    c = "char" if pointee == "char" else "int32_t"
    first = f"({count} > 0 && {parameter.argument} != 0 ? *(const {c} *){parameter.argument} : 0)"
    if pointee in library.enums:
        yield enum_field(library, name, pointee, first)
    elif pointee == "char":
        yield Field(name, f"e1{character_names(name)}", "int8_t", first)
    else:
        yield Field(name, "i4", "int32_t", first)


def parameter_fields(function, parameter):
    library, name = function.library, field_name(parameter.name)
    if is_pointer(parameter.type) and not parameter.by_reference and any(p.name == "group_count" for p in function.parameters):
        yield from first_group_fields(function, parameter)
        return
    if parameter.by_reference:
        if parameter.type == "char":
            yield Field(name, f"e1{character_names(name)}", "int8_t", f"*(const char *){parameter.argument}")
        elif parameter.type in ("float", "double"):
            c, kind = NUMBERS[parameter.type]
            yield Field(name, kind, c, f"*(const {c} *){parameter.argument}")
        else:
            yield Field(name, "i4", "int32_t", f"*(const int32_t *){parameter.argument}")
        return
    kind = kind_of(library, parameter.type)
    if kind in ("handle", "stream", "handle+stream"):
        yield Field(name, "p8", "uint64_t", f"(uint64_t){parameter.argument}")
    elif kind == "described":
        reader = f"xsp_describe_{bare(parameter.type)}(&call, {parameter.argument})"
        yield Field(name, "s4", "uint32_t", reader)
    elif kind == "pointer" and function.capture == "launch" and parameter.name == "func":
        yield Field(name, "p8", "uint64_t", f"(uint64_t){parameter.argument}")  # which kernel
    elif kind == "enum":
        yield enum_field(library, name, parameter.type, parameter.argument)
    elif kind == "struct":
        yield from struct_fields(library, name, parameter)
    elif parameter.type == "char" and character_names(name) != "{}":
        yield Field(name, f"e1{character_names(name)}", "int8_t", parameter.argument)
    elif kind != "pointer":
        c = "int32_t" if library.wide_integers and kind == "i4" else KINDS[kind]
        yield Field(name, kind, c, f"({c}){parameter.argument}")


class Layout:
    """The fields of a function's argument records, in order: captured parameters, stream, status."""

    def __init__(self, function):
        library = function.library
        self.function = function
        self.custom = function.custom and function.capture not in OBSERVED_CLASSES
        self.has_status = bool(library.status) and bare(function.result) == library.status
        self.fields = []
        captured = function.capture not in UNCAPTURED_CLASSES
        if captured and not self.custom:
            for parameter in function.parameters:
                self.fields += parameter_fields(function, parameter)
            self.fields += self.stream_of_handle()
        if self.has_status and not self.custom:
            self.fields.append(status_field(library, enum_width(library.enums.get(library.status, {})), "result"))
        seen = set()
        for field in self.fields:
            while field.name in seen:
                field.name += "_"
            seen.add(field.name)

    def stream_of_handle(self):
        library, parameters = self.function.library, self.function.parameters
        kinds = [kind_of(library, p.type) for p in parameters if not p.by_reference]
        handles = [p for p in parameters if not p.by_reference and kind_of(library, p.type) == "handle+stream"]
        if handles and "stream" not in kinds:
            reader = f"xsp_stream_of_{bare(handles[0].type)}(&call, {handles[0].argument})"
            yield Field("stream", "p8", "uint64_t", reader)

    def custom_fields(self):
        written = self.function.library.layouts.get(self.function.name)
        if written is None:
            raise SystemExit(f"{self.function.library.path}: no layout of {self.function.name}, which captures its own")
        words = [self.function.library.expand(word) for word in written.split()]
        return words + ([f"status:{status_field(self.function.library, 4, '').written}"] if self.has_status else [])

    def text(self):
        """The layout string, or nothing when no value is recorded."""
        fields = self.custom_fields() if self.custom else [f"{f.name}:{f.written}" for f in self.fields]
        constants = [f"{name}={value}" for name, value in self.function.constants.items()]
        if self.function.capture not in UNCAPTURED_CLASSES:
            constants.insert(0, f"class={self.function.capture}")
        return " ".join(constants + fields) if fields else ""
