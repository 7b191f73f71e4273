"""libcudnn.so.9 opens its parts by a RUNPATH of its own, which the loader takes from who calls dlopen: from anywhere, with
nothing else pointing there, they are found.
"""
import os

from support.fake_cuda import compare, fake
from support.xsp_e2e import check, run, work_folder

work_folder()
check(b"$ORIGIN" in run("readelf", "-d", fake("libcudnn.so.9")).stdout, "the stand-in has no RUNPATH")
check("LD_LIBRARY_PATH" not in os.environ, "LD_LIBRARY_PATH would hide what this is about")
outcome = compare(fake("looks_up"), fake("libcublas.so.13"), fake("libcudnn.so.9")).check_unchanged().check_recorded()
reached = {line.split()[0] for line in outcome.log}
check({"libcudnn_graph.so.9", "libcudnn_ops.so.9"} <= reached, f"parts that were not opened: {reached}")
