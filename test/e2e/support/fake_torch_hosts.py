"""For tests on the stand-in libtorch_cpu (test/fake_torch): a host of it alone and recorded, and what it really did."""
import shutil
from pathlib import Path

from .trace_reader import OPERATOR
from .xsp_e2e import BUILD, check, check_equal, clean_environment, run, xsp_run

FAKE = BUILD / "test/fake_torch"
LINKED, LOADING = FAKE / "fake_torch_host_linked", FAKE / "fake_torch_host"
EXIT_STATUS = 3
SYMBOLS = (b"_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE", b"_ZNK2at14RecordFunction4nameEv",
           b"_ZNK2at14RecordFunction7isAsyncEv", b"_ZNK2at14RecordFunction10num_inputsEv",
           b"_ZNK2at14RecordFunction11num_outputsEv", b"_ZN2at14RecordFunction15currentThreadIdEv",
           b"_ZN2at15sequence_number4peekEv")  # fmt: skip


def library_without(folder, symbols):
    """A copy that exports these symbols under names that nobody looks for. The stand-in itself calls none of them."""
    folder = Path(folder)
    folder.mkdir()
    shutil.copy(FAKE / "libc10.so", folder)
    data = (FAKE / "libtorch_cpu.so").read_bytes()
    for symbol in symbols:
        check(symbol + b"\0" in data, f"the stand-in has {symbol.decode()}")
        data = data.replace(symbol + b"\0", symbol[:-1] + b"_\0")
    (folder / "libtorch_cpu.so").write_bytes(data)
    return folder / "libtorch_cpu.so"


def record(fake="", operators=100, library=None, what="run"):
    """A recorded run whose output and exit status are those of the host alone; what it printed of each operator."""
    command = (LINKED, what, operators) if library is None else (LOADING, what, operators, library)
    env = clean_environment(FAKE_TORCH=fake)
    plain = run(*command, env=env)
    check_equal(plain.returncode, EXIT_STATUS, f"the host alone with {fake!r}: {plain.stderr.decode()}")
    done = xsp_run(*command, options=("--level", "layer"), env=env)
    check_equal((done.returncode, done.stdout), (plain.returncode, plain.stdout),
                f"the host with {fake!r}; xsp-run said:\n{done.stderr}")  # fmt: skip
    return done, [line.split("|") for line in done.stdout.decode().splitlines()[:-1]]


def operators_of(done):
    """Forward operators, and backward ones, in order of their begin."""
    spans = done.trace.of_kind(OPERATOR)
    return [s for s in spans if "Backward" not in s.name], [s for s in spans if "Backward" in s.name]


def notices_of(done):
    return [notice for notice in done.trace.notices if notice.startswith("torch:")]
