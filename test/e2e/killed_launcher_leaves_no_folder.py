"""xsp-run is killed: its collector finishes the trace and removes the folder of the run, which nobody else would."""
import signal

from support.xsp_e2e import BUILD, check, clean_environment, start_xsp_run, wait_until, work_folder

folder = work_folder()
place = folder / "tmp"
place.mkdir()
run = start_xsp_run("sh", "-c", f"{BUILD / 'test/e2e/api_spans'}; sleep 5", env=clean_environment(TMPDIR=place))
run.stdout.readline()
check(len(list(place.iterdir())) == 1, "the run has a folder")
run.send_signal(signal.SIGKILL)
run.wait()
wait_until((folder / "trace.pb").exists, "the trace is finished")
wait_until(lambda: not list(place.iterdir()), "the folder of the run is removed")
