"""Programs that a test builds itself, with compilers and options that not every machine has."""
import os
import shutil
import subprocess
from pathlib import Path

from .xsp_e2e import BUILD, PROGRAMS, SOURCE, check, run, skip

SPANS = 2000  # of sanitized_spans


def skip_instrumented_build():
    """A guest with a built-in sanitizer cannot be loaded alongside another."""
    needed = run("readelf", "-dW", BUILD / "inject/libxsp_inject.so").stdout.decode()
    if any(f"[lib{name}.so" in needed for name in ("asan", "tsan", "ubsan")):
        skip("a build without sanitizers")


def built(name, source, *options, compiler="gcc"):
    """The program `name`, built from this C text; None, with a message, if compiler or libraries are missing."""
    if shutil.which(compiler) is None:
        print(f"without {name}: no {compiler}")
        return None
    text = source.encode() if isinstance(source, str) else source.read_bytes()
    done = subprocess.run([compiler, "-x", "c", "-", "-o", name, "-x", "none", *map(str, options)], input=text, capture_output=True)
    if done.returncode != 0:
        print(f"without {name}: {compiler} {' '.join(map(str, options))}: {done.stderr.decode()[-300:]}")
        return None
    return Path(name).resolve()


def sanitized(compiler, *options):
    """sanitized_spans with these options, if such a program runs here at all."""
    libraries = BUILD / "inject"
    name = "-".join([compiler, *(option.removeprefix("-f").replace("=", "-") for option in options)])
    if "-shared-libasan" in options:
        # clang keeps it in a folder of its own, where no loader looks.
        library = run(compiler, "-print-file-name=libclang_rt.asan-x86_64.so").stdout.decode().strip()
        options += (f"-Wl,-rpath,{os.path.dirname(library)}",)
    program = built(name, PROGRAMS / "sanitized_spans.c", "-D_GNU_SOURCE", "-g", *options, f"-I{SOURCE / 'inject/api'}", f"-L{libraries}",
                    "-lxsp", "-lpthread", "-ldl", f"-Wl,-rpath,{libraries}", compiler=compiler)  # fmt: skip
    if program is None:
        return None
    bare = run(program)
    if bare.returncode != 0:
        print(f"without {name}: it does not run here: {bare.stderr.decode()[:300]}")
        return None
    check(f"{SPANS} spans, child 0" in bare.stdout.decode(), f"{name}: {bare.stdout.decode()}")
    return program


def own_words(stderr):
    """What the program and its loader wrote on standard error, without what xsp-run said at the end."""
    text = stderr.decode(errors="replace") if isinstance(stderr, bytes) else stderr
    lines = text.splitlines(keepends=True)
    first = next((i for i, line in enumerate(lines) if line.startswith("xsp: ")), len(lines))
    return "".join(lines[:first])
