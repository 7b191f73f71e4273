"""The built guest keeps its contract with a stranger's process: guest_file_test.py LIBRARY DESCRIPTION…"""

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "inject/library"))
import description  # noqa: E402
import generate  # noqa: E402

LIBRARY, *DESCRIPTIONS = sys.argv[1:]
EXPORTS = {"xsp_intern", "xsp_start_span", "xsp_finish_span", "xsp_tag_span", "_exit", "_Exit"}
EXPORTS |= {"InitializeInjection", "InitializeInjectionNvtx2", "__itt_api_init", "dlsym", "dlvsym", "dlclose", "dlerror"}
REPORT = "_ZN3c1027reportMemoryUsageToProfilerEPvl"
EXPORTS |= {"TF_SessionRun", "TFE_Execute", "MXInvokeCachedOp", "MXInvokeCachedOpEx", "MXPredForward", "MXExecutorForward"}
NEW_SESSION = "_ZN10tensorflow10NewSessionERKNS_14SessionOptionsE"
EXPORTS |= {NEW_SESSION, f"{NEW_SESSION}PPNS_7SessionE"}
EXPORTS |= {"MXExecutorBackward", "MXExecutorBackwardEx", "MXAutogradBackward", "MXAutogradBackwardEx"}
EXPORTS |= {"_ZN3c109alloc_cpuEm", "_ZN3c108free_cpuEPv"} | {f"{REPORT}{totals}NS_6DeviceE" for totals in ("mm", "ll", "")}
EXPORTS |= {name for _, name in generate.wrapped(description.read_all(DESCRIPTIONS))}
NEEDED = {"libc.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libdl.so.2", "libpthread.so.0"}
NEWEST_GLIBC = (2, 35)
MOST_TLS_BYTES = 64

failures = []


def check(condition, message):
    if not condition:
        failures.append(message)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


symbols = run("readelf", "--dyn-syms", "-W", LIBRARY)
if re.search(r" __(asan|ubsan)_| __tsan_(?!init)", symbols):
    print("skipped: the library is built with a sanitizer, which brings its own libraries, exports and constructors")
    sys.exit(77)

dynamic = run("readelf", "-dW", LIBRARY)
needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
check(needed <= NEEDED, f"NEEDED has more than libc, ld-linux and libgcc_s: {sorted(needed - NEEDED)}")
check("libgcc_s.so.1" in needed, "a copy of libgcc is inside: exceptions of the program could not pass")
check("TEXTREL" not in dynamic, "the library has text relocations")

defined = {}
for line in symbols.splitlines():
    fields = line.split()
    if len(fields) >= 8 and fields[6] not in ("UND", "Ndx") and fields[4] in ("GLOBAL", "WEAK", "UNIQUE"):
        defined[fields[7]] = fields[4]
names = {name.split("@")[0] for name in defined}
check(names == EXPORTS, f"exports differ: more {sorted(names - EXPORTS)[:20]}, fewer {sorted(EXPORTS - names)[:20]}")
check(not any("@" in name for name in defined), "an export carries a version node: the loader would skip it silently")
check("UNIQUE" not in defined.values(), "an export is STB_GNU_UNIQUE: the library could never be unloaded")

versions = {tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_(\d+(?:\.\d+)+)", symbols)}
check(max(versions)[:2] <= NEWEST_GLIBC, f"needs glibc {max(versions)}, newer than {NEWEST_GLIBC}")
check(not re.search(r"GLIBCXX|CXXABI", symbols), "libstdc++ is needed at run time")

with open(LIBRARY, "rb") as file:
    content = file.read()
for word in (b"google/protobuf", b"google.protobuf", b"libprotobuf", b"spdlog"):
    check(word not in content, f"the guest carries {word.decode()}")

tls = re.search(r"^\s+TLS\s+\S+\s+\S+\s+\S+\s+\S+\s+(0x[0-9a-f]+)", run("readelf", "-lW", LIBRARY), re.MULTILINE)
size = int(tls.group(1), 16) if tls else 0
check(0 < size <= MOST_TLS_BYTES, f"static TLS takes {size} bytes, more than {MOST_TLS_BYTES}")

sections = run("readelf", "-SW", LIBRARY)
constructors = re.search(r"\.init_array\s+INIT_ARRAY\s+\S+\s+\S+\s+([0-9a-f]+)", sections)
count = int(constructors.group(1), 16) // 8 if constructors else 0
check(count == 2, f"{count} constructors: only frame_dummy and the Python entry may run at load")

for failure in failures:
    print("FAILED:", failure)
print(f"{LIBRARY}: {len(defined)} exports, {size} bytes of TLS, newest glibc {max(versions)}")
sys.exit(1 if failures else 0)
