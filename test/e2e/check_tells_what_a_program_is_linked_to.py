"""xsp-run --check of a command that is no Python runs nothing of it: it tells what the program is linked to and what that
gives, that a script is one and of what, and that a static program cannot be recorded.
"""
import subprocess

from support.xsp_e2e import XSP_RUN, check, check_equal, clean_environment, run, work_folder

folder = work_folder()


def compiled(name, source, *options):
    subprocess.run(["cc", "-x", "c", "-", "-o", name, "-Wl,--no-as-needed", "-x", "none", *options], input=source.encode(), check=True)


def told(command, *options, status=0, **environment):
    done = run(XSP_RUN, "--check", *options, "--", command, env=clean_environment(**environment))
    check_equal(done.returncode, status, done.stdout.decode())
    return done.stdout.decode()


def row(text, title):
    return next((" ".join(line.split()) for line in text.splitlines() if line.strip().startswith(f"{title}  ")), None)


RUNS = '#include <stdio.h>\nint main(void) { fclose(fopen("was-run", "w")); return 0; }\n'
torch = ("_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE", "_ZNK2at14RecordFunction4nameEv",
         "_ZNK2at14RecordFunction7isAsyncEv")  # fmt: skip
compiled("libtorch_cpu.so", "".join(f"void {f}(void) {{}}\n" for f in torch), "-shared", "-fPIC",
         "-Wl,-soname,libtorch_cpu.so")  # fmt: skip
compiled("libonnxruntime.so.1", "void OrtGetApiBase(void) {}\n", "-shared", "-fPIC", "-Wl,-soname,libonnxruntime.so.1")
compiled("libdnnl.so.3", "void dnnl_version(void) {}\n", "-shared", "-fPIC", "-Wl,-soname,libdnnl.so.3")
compiled("host", RUNS, "libtorch_cpu.so", "libonnxruntime.so.1", "libdnnl.so.3")

text = told("./host", LD_LIBRARY_PATH=folder)
check_equal(row(text, "PyTorch"), f"PyTorch ok {folder}/libtorch_cpu.so", "libtorch")
check_equal((row(text, "operators") or "")[:12], "operators ok", text)
check_equal((row(text, "memory") or "")[:15], "memory degraded", text)
check((row(text, "ONNX Runtime") or "").startswith("ONNX Runtime ok"), text)
check((row(text, "models, layers") or "").startswith("models, layers ok"), text)
check("libdnnl.so.3" in text, text)
check(row(text, "Python") is None, text)
text = told("./host", "--strict", status=125)
check("not found: libdnnl.so.3, libonnxruntime.so.1, libtorch_cpu.so" in text, text)

compiled("plain", RUNS)
check("linked to none" in told("./plain", "--strict"), "a program without frameworks")
compiled("still", RUNS, "-static")
check("statically linked" in told("./still", "--strict", status=125), "a static program")
(folder / "start").write_text("#!/bin/sh\necho > was-run\n")
(folder / "start").chmod(0o755)
check("start is a script of /bin/sh" in told("./start", "--strict"), "a script")
(folder / "text").write_text("nothing to run\n")
(folder / "text").chmod(0o755)
check("is no program" in told("./text"), "a file that is no program")
check("not found" in told("./nowhere"), "no file")
check(not (folder / "was-run").exists(), "nothing was run")
