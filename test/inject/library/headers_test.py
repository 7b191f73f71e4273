"""The descriptions say what the vendors' headers say: headers_test.py SOURCE_ROOT BUILD_ROOT.

A description and a header are compared by the compiler: what is described is declared again behind the header, and
conflicts are errors. Headers are looked for in $CUDA_HOME, /usr/local/cuda, the folders of Python wheels below the build
folder, /usr/include, and $XSP_HEADERS (folders, separated by colons; each is a set of its own).
"""

import copy
import fnmatch
import os
import re
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

SOURCE_ROOT, BUILD_ROOT = Path(sys.argv[1]), Path(sys.argv[2])
sys.path.insert(0, str(SOURCE_ROOT / "inject/library"))
import description  # noqa: E402

Vendor = namedtuple("Vendor", "description headers version libraries prefix")
CUDA_VERSION = "CUDART_VERSION / 1000 . CUDART_VERSION % 1000 / 10"
VENDORS = [
    Vendor("cudart", ["cuda_runtime_api.h", "cuda_profiler_api.h"], CUDA_VERSION, ["libcudart.so.*"], "cuda"),
    Vendor("cublas", ["cublas_v2.h", "cublasXt.h"], "CUBLAS_VER_MAJOR . CUBLAS_VER_MINOR", ["libcublas.so.*"], "cublas"),
    Vendor("cublaslt", ["cublasLt.h"], "CUBLAS_VER_MAJOR . CUBLAS_VER_MINOR", ["libcublasLt.so.*"], "cublasLt"),
    Vendor("cudnn", ["cudnn.h"], "CUDNN_MAJOR . CUDNN_MINOR", ["libcudnn.so.*"], "cudnn"),
    Vendor("cupti", ["cupti.h"], "CUDA_VERSION / 1000 . CUDA_VERSION % 1000 / 10", [], "cupti"),
    Vendor("nccl", ["nccl.h"], "NCCL_MAJOR . NCCL_MINOR", ["libnccl.so.*"], "nccl"),
    Vendor("onednn", ["oneapi/dnnl/dnnl.h", "oneapi/dnnl/dnnl_graph.h?", "oneapi/dnnl/dnnl_sycl.h?"],
           "DNNL_VERSION_MAJOR . DNNL_VERSION_MINOR", ["libdnnl.so.*"], "dnnl_"),
    Vendor("blas", ["mkl_blas.h"], "", [], ""),
    Vendor("cblas", ["mkl_cblas.h"], "", [], "cblas_"),
    Vendor("cblas", ["cblas.h"], "", [], "cblas_"),
]  # fmt: skip
# Enumerators that count or bound the others and change with each version.
BOUNDS = re.compile(r"(_COUNTS?|_MAX|_max|NumTypes|NumOps|NumResults|numTypes|MaxRedOp|Max|Reserved\d+|\w+_FORCE_\w+)$")
PER_THREAD_OPTION = "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"
PER_THREAD = re.compile(r"_pt[ds][sz]$")


def include_sets():
    """Folders whose headers belong together, first come first."""
    sets = [[Path(folder)] for folder in os.environ.get("XSP_HEADERS", "").split(":") if folder]
    toolkits = [Path(os.environ.get("CUDA_HOME", "/nonexistent")) / "include", Path("/usr/local/cuda/include")]
    toolkit = [folder for folder in toolkits if folder.is_dir()][:1]
    sets += [toolkit] if toolkit else []
    for packages in sorted(BUILD_ROOT.glob("python/*/lib/python*/site-packages")):
        sets.append(sorted(packages.glob("nvidia/*/include")) + toolkit)
        sets.append([packages / "torch/include"])
    local = Path("/usr/include")
    return sets + [[local / "x86_64-linux-gnu", local]]


def headers_of(vendor, folders):
    found = []
    for header in vendor.headers:
        name = header.rstrip("?")
        if any((folder / name).is_file() for folder in folders):
            found.append(name)
        elif name == header:
            return []
    return found


class Headers:
    """A vendor's headers in a set of folders, as the preprocessor sees them."""

    def __init__(self, vendor, folders, names):
        self.vendor, self.folders = vendor, folders
        self.where = next(folder for folder in folders if (folder / names[0]).is_file())
        self.includes = "#include <stddef.h>\n#include <stdint.h>\n" + "".join(f"#include <{name}>\n" for name in names)
        self.cpp = vendor.description in ("blas", "cblas")
        self.text = self.compiler(self.includes, "-E", "-P").stdout
        self.words = set(re.findall(r"\w+", self.text))
        self.declared = set(re.findall(r"\b(\w+)\s*\(", self.text))
        twins = self.compiler(self.includes, "-E", "-P", PER_THREAD_OPTION).stdout
        self.declared |= {name for name in re.findall(r"\b(\w+)\s*\(", twins) if PER_THREAD.search(name)}
        self.version = self.read_version()

    def compiler(self, source, *options):
        language = ["g++", "-xc++", "-std=c++17"] if self.cpp else ["gcc", "-xc", "-std=gnu11"]
        folders = [f"-I{folder}" for folder in self.folders]
        command = [*language, "-w", "-fmax-errors=0", *folders, *options, "-o", "-", "-"]
        return subprocess.run(command, input=source, capture_output=True, text=True)

    def read_version(self):
        if not self.vendor.version:
            return None
        output = self.compiler(self.includes + f"XSP_VERSION {self.vendor.version}\n", "-E", "-P").stdout
        major, minor = output.rsplit("XSP_VERSION", 1)[1].split(".")
        calculate = lambda text: int(eval(text.replace("/", "//"), {}))  # noqa: E731
        return calculate(major), calculate(minor)

    def errors(self, checks, *options):
        """Of the checks (name -> C source), those that do not compile: name -> first message."""
        source = self.includes + PRELUDE[self.cpp]
        source += "".join(f'#line 1 "{name}"\n{text}\n' for name, text in checks.items())
        output = self.compiler(source, "-fsyntax-only", *options)
        failed = {}
        for name, message in re.findall(r"^([^:\n]+):\d+:(?:\d+:)? (?:fatal )?error: (.*)$", output.stderr, re.MULTILINE):
            failed.setdefault(name if name in checks else "the headers", message)
        if output.returncode and not failed:
            failed["the compiler"] = output.stderr.strip()[:300]
        return failed


# BLAS is compared parameter by parameter, for vendors differ in const and in the types of complex numbers.
PRELUDE = {
    False: "",
    True: """
#define _Static_assert static_assert
namespace xsp {
template <typename T> struct Plain { using Type = T; };
template <typename T> struct Plain<const T> : Plain<T> {};
template <typename T> struct Plain<T*> { using Type = typename Plain<T>::Type*; };
template <typename A, typename B> constexpr bool same = false;
template <typename A> constexpr bool same<A, A> = true;
template <typename Vendor, typename Described> constexpr bool alike = same<Vendor, Described> ||
    (__is_enum(Vendor) && __is_enum(Described) && sizeof(Vendor) == sizeof(Described));
template <typename Vendor> constexpr bool alike<Vendor*, void*> = true;
template <typename Vendor> constexpr bool alike<Vendor**, void**> = true;
template <typename Described, typename Vendor> struct Compare;
template <typename D, typename S, typename... V> struct Compare<D, S(V...) noexcept> : Compare<D, S(V...)> {};
template <typename R, typename... D, typename S, typename... V> struct Compare<R(D...), S(V...)> {
  static constexpr bool value() {
    if constexpr (sizeof...(D) != sizeof...(V)) return false;
    else return alike<typename Plain<S>::Type, typename Plain<R>::Type> &&
        (... && alike<typename Plain<V>::Type, typename Plain<D>::Type>);
  }
};
}
""",
}


def version_of(text):
    return tuple(map(int, text.split(".")))


def in_range(function, version):
    if version is None:
        return True
    return version_of(function.since) <= version and (not function.until or version < version_of(function.until))


def written(parameter):
    return {"char": "const char *", "int": "const int *"}[parameter.type] if parameter.by_reference else parameter.type


def prototype(function, name):
    return f"{function.result} {name}({', '.join(written(p) for p in function.parameters) or 'void'})"


def tag_names(headers, library):
    """Structures and enumerations of C that have a tag alone, as the descriptions name them."""
    names = {re.sub(r"[*\s]|\bconst\b", "", p.type) for f in library.functions for p in f.parameters}
    names |= set(library.structs)
    for keyword in ("struct", "enum", "union"):
        for name in sorted(names):
            if re.search(rf"\b{keyword}\s+(__\w+\(.*?\)\)\s+)?{name}\b", headers.text):
                yield f"typedef {keyword} {name} {name};"


def prototype_checks(headers, library, per_thread):
    checks = {} if headers.cpp else {"names": "\n".join(tag_names(headers, library))}
    missing = []
    for function in library.functions:
        if not in_range(function, headers.version) or bool(PER_THREAD.search(function.name)) != per_thread:
            continue
        if function.name not in headers.declared:
            missing.append(function.name)
        elif headers.cpp:
            compared = f"xsp::Compare<{prototype(function, '')}, decltype({function.name})>::value()"
            checks[function.name] = f'static_assert({compared}, "conflicts with the header");'
        else:
            checks[function.name] = prototype(function, function.name) + ";"
    return checks, missing


def enumerators(headers):
    """Enumeration, by tag and by typedef -> its enumerators' names in the header."""
    found = {}
    for tag, body, name in re.findall(r"\benum\s+(\w+)?\s*\{([^{}]*)\}\s*(\w+)?", headers.text):
        listed = [entry.split("=")[0].split()[0] for entry in body.split(",") if entry.strip()]
        for key in {tag, name} - {""}:
            found[key] = listed
    return found


def enum_checks(headers, library, newest):
    checks, missing, listed = {}, [], enumerators(headers)
    older = f"_{(headers.version or [0])[0]}"  # BAD_PARAM_8: what BAD_PARAM was in version 8
    for enum, names in library.vendor_names.items():
        values = library.enums[enum]
        for text, name in names.items():
            if name in headers.words:
                value = values.get(text + older, values[text])
                checks[name] = f'_Static_assert((int){name} == {value}, "{enum}: {text} is not {value}");'
            elif newest and enum in listed:
                missing.append(f"{enum}: {name}")
        for name in listed.get(enum, []):
            if name not in names.values() and not BOUNDS.search(name):
                known = " || ".join(f"(int){name} == {value}" for value in values.values())
                checks[name] = f'_Static_assert({known}, "{enum}: its value is not described");'
    return checks, missing


def struct_checks(library):
    for name, body in library.structs.items():
        text = f"struct xsp_{name} {body}; _Static_assert(sizeof({name}) == sizeof(struct xsp_{name}), \"size\");"
        for field in re.findall(r"(\w+)(?:\[\d+\])?;", body):
            text += f' _Static_assert(offsetof({name}, {field}) == offsetof(struct xsp_{name}, {field}), "{field}");'
        yield name, text


def exported_names(headers):
    names = set()
    for folder in headers.folders:
        for place in (folder.parent / "lib64", folder.parent / "lib", folder.parent / "lib/x86_64-linux-gnu"):
            for pattern in headers.vendor.libraries:
                for path in sorted(place.glob(pattern))[:1] or sorted(place.parent.glob(f"lib/*/{pattern}"))[:1]:
                    output = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True).stdout
                    names |= {name.split("@")[0] for name in re.findall(r" [TWi] (\S+)", output)}
    return names


def not_described(headers, library):
    """What the library exports and the headers declare, and no line mentions."""
    known = {function.name for function in library.functions}
    for name in sorted(exported_names(headers) & headers.declared):
        plain = PER_THREAD.sub("", name)
        wanted = re.match(rf"{headers.vendor.prefix}[A-Z_a-z]", name)
        if wanted and name not in known and not any(fnmatch.fnmatch(plain, pattern) for pattern in library.unwrapped):
            yield name


def compare(headers, library, complete=True):
    """Everything that the description and the headers say differently, as lines."""
    newest = headers.version is None or headers.version >= max(map(version_of, re.findall(r"[\d.]+", library.source)))
    differences = []
    checks, missing = prototype_checks(headers, library, per_thread=False)
    values, missing_values = enum_checks(headers, library, newest)
    checks.update(values)
    checks.update(struct_checks(library))
    missing += missing_values
    failed = headers.errors(checks)
    count = len(checks)
    if library.name == "cudart" and complete:
        checks, absent = prototype_checks(headers, library, per_thread=True)
        failed.update(headers.errors(checks, PER_THREAD_OPTION))
        count += len(checks)
        missing += absent
    differences += [f"{name}: {message}" for name, message in failed.items()]
    if headers.version is not None:
        differences += [f"{name}: not in the headers" for name in missing if not name.startswith("__")]
        differences += [f"{name}: not described" for name in (not_described(headers, library) if complete else [])]
    return differences, count


def altered(headers, library):
    """The same description with one parameter and one enumerator wrong, and their names."""
    wrong = copy.deepcopy(library)
    usable = (f for f in wrong.functions if in_range(f, headers.version) and f.name in headers.declared)
    function, parameter = next((f, p) for f in usable for p in f.parameters if p.type != "double")
    if parameter.by_reference:
        parameter.type = "int" if parameter.type == "char" else "char"
    else:
        parameter.type = "double"
    names = ((enum, text, name) for enum in wrong.vendor_names for text, name in wrong.vendor_names[enum].items())
    enum, text, name = next((entry for entry in names if entry[2] in headers.words), (None, None, None))
    if enum:
        wrong.enums[enum][text] += 1
    return wrong, [function.name] + ([name] if name else [])


def main():
    failures, compared, self_checked, seen_files = [], 0, set(), set()
    for folders in include_sets():
        for vendor in VENDORS:
            names = headers_of(vendor, folders)
            file = next((folder / names[0] for folder in folders if names and (folder / names[0]).is_file()), None)
            if file is None or (vendor.description, file) in seen_files:
                continue
            seen_files.add((vendor.description, file))
            headers = Headers(vendor, folders, names)
            library = description.read_library(SOURCE_ROOT / f"inject/library/description/{vendor.description}.txt")
            differences, count = compare(headers, library)
            shown = ".".join(map(str, headers.version)) if headers.version else "of no version"
            print(f"{vendor.description}: {headers.where}/{names[0]} {shown}: {count} compared, {len(differences)} differ")
            failures += [f"{vendor.description} {shown}: {difference}" for difference in differences]
            compared += count
            if vendor.description not in self_checked and not differences:
                self_checked.add(vendor.description)
                wrong, expected = altered(headers, library)
                seen = " ".join(compare(headers, wrong, complete=False)[0])
                failures += [f"not seen to be altered: {name}" for name in expected if f"{name}:" not in seen]
    for failure in failures:
        print("FAILED:", failure)
    if compared == 0:
        print("skipped: no header of any described library is here")
        sys.exit(77)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
