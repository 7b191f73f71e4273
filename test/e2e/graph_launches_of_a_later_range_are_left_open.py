"""Before CUDA 13.1 Update 1 kernels of graphs name another launch in every session of CUPTI's but the first (kineto#1165), and each
range that is recorded is one. Those of the first range keep theirs, though their buffer is returned within the second; those of
the second have none, and a notice says so.
"""
from pathlib import Path

from support.played_recording import RECORDINGS, play
from support.xsp_e2e import check_equal, work_folder

work_folder()
recording = RECORDINGS / "graph_ids_of_a_later_session.txt"
played = play(recording, options=("--range", "part")).check_losses()
second = {29, 30, 31}
played.check_executions(without_launch=second)
check_equal(len([e for e in played.found() if e.launch]), 8, "kernels with a launch")
check_equal(sum("13.1 Update 1" in notice for notice in played.notices), 1, f"notices: {played.notices}")

# A version without that fault is believed.
later = Path("later_version.txt")
later.write_text(recording.read_text().replace("cupti_version=130001", "cupti_version=130101"))
played = play(later, options=("--range", "part")).check_executions()
check_equal([n for n in played.notices if "13.1 Update 1" in n], [], "notices")
