"""Ranges that CUPTI drops are counted as lost and harm no other kernel's counts; where it makes another number of ranges
than there were launches, none is believed. A version that takes one configuration of an object only is begun afresh.
"""
from fake_cuda import device_environment, fake
from trace_reader import read_segments
from xsp_e2e import check, check_equal, work_folder, xsp_run

COUNTERS_LOST = 12


def counted(misbehave):
    done = xsp_run(fake("inference"), 50, options=("--metrics", "roofline-fp32"),
                   env=device_environment(misbehave=misbehave)).check_success()  # fmt: skip
    second = read_segments(done.path)[1]
    return second, sum(process.losses.get(COUNTERS_LOST, 0) for process in second.processes.values()), done


work_folder()
whole, lost, _ = counted([])
check_equal((len(whole.counters), lost), (400, 0), "kernels that were counted, and lost")
by_ordinal = {row.ordinal: (row.name, row.values) for row in whole.counters}

# Of 400 kernels 256 are in the first image, 144 in the second.
dropped, lost, done = counted(["lost_ranges=3"])
check_equal((len(dropped.counters), lost), (394, 6), "kernels that were counted, and lost, where ranges are dropped")
check(all(by_ordinal[row.ordinal] == (row.name, row.values) for row in dropped.counters), "the counts of the others")
check("lost: 6 (kernels whose hardware counters" in done.stderr, f"xsp-run tells it:\n{done.stderr}")

mixed, lost, _ = counted(["mixed_ranges"])
check_equal((len(mixed.counters), lost), (0, 400), "kernels that were counted, and lost, where ranges are mixed up")
check(any("CUPTI counted 257 kernels where 256 were launched" in notice for notice in mixed.notices), mixed.notices)

afresh, lost, _ = counted(["one_configuration"])
check_equal(({row.ordinal: (row.name, row.values) for row in afresh.counters}, lost), (by_ordinal, 0), "begun afresh")
