"""A collector of one file whose terminal closes finishes its trace, and under nohup goes on."""
import signal

from support.fake_guest import FakeGuest
from support.raw_client import Collector
from support.trace_reader import read_trace
from support.xsp_e2e import check, check_equal, wait_until, work_folder

folder = work_folder()


def collector_with(hangup, name):
    place = folder / name
    place.mkdir()
    return Collector(place, preexec_fn=lambda: signal.signal(signal.SIGHUP, hangup))


collector = collector_with(signal.SIG_DFL, "terminal")
guest = FakeGuest(collector.socket, ["layer"])
guest.layers(100, [1])
collector.process.send_signal(signal.SIGHUP)
_, errors = collector.process.communicate(timeout=60)
check_equal(collector.process.returncode, 0, f"exit status; stderr: {errors.decode()}")
trace = read_trace(collector.trace)
check(trace.complete, "the trace is complete")
check_equal(sum(len(p.spans) for p in trace.processes.values()), 100, "spans")

collector = collector_with(signal.SIG_IGN, "nohup")
collector.process.send_signal(signal.SIGHUP)
guest = FakeGuest(collector.socket, ["layer"])
guest.layers(100, [1])
guest.goodbye()
wait_until(lambda: len(read_trace(collector.trace.with_suffix(".pb.partial")).processes) == 1, "it goes on to record")
collector.finish()
check_equal(sum(len(p.spans) for p in read_trace(collector.trace).processes.values()), 100, "spans under nohup")
