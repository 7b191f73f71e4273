"""cuBLAS and cuDNN carry their own runtime and launch past libcudart: what they do is one library call, and no runtime
call is made up for it. The real libraries, where they are installed, import no cuda function either.
"""
import re
from pathlib import Path

from support.fake_cuda import compare, fake
from support.xsp_e2e import check, check_equal, run, work_folder

work_folder()
outcome = compare(fake("linked")).check_unchanged().check_recorded()
check_equal({span.level for span in outcome.trace.spans}, {"library"}, "levels of a program that calls cuBLAS only")
for real in Path("/usr/local").glob("cuda*/lib*/libcu[bd]*.so.[0-9]*"):
    if not re.match(r"lib(cublas|cublasLt|cudnn\w*)\.so", real.name):
        continue
    symbols = run("readelf", "--dyn-syms", "-W", real).stdout.decode()
    check(not re.search(r" UND cuda[A-Z]", symbols), f"{real} imports from the CUDA runtime")
