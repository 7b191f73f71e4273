"""Ranges that CUPTI drops are counted as lost and harm no other kernel's counts; where it makes another number of ranges
than there were launches, none of these is believed, and fewer are counted together from then on. A version that takes one configuration of an object only is begun afresh.
"""
from support.fake_cuda import device_environment, fake
from support.trace_reader import read_segments
from support.xsp_e2e import check, check_equal, work_folder, xsp_run

COUNTERS_LOST = 12


def counted(misbehave, evaluations=50):
    done = xsp_run(fake("inference"), evaluations, options=("--metrics", "roofline-fp32"),
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
check(any("CUPTI returned counters of 257 kernels where 256 were launched" in notice for notice in mixed.notices), mixed.notices)

# A kernel of the driver's own between a hundred spoils 256 counts, then 32, then 4, then one each time.
whole, _, _ = counted([], 500)
beside, lost, _ = counted(["foreign_ranges=100"], 500)
check_equal(len(beside.counters) + lost, 4000, "kernels that were counted, and lost, beside kernels of the driver's own")
check(256 < lost < 256 + 32 + 4 + 40, f"{lost} counts were lost to 40 foreign kernels")
every = {row.ordinal: (row.name, row.values) for row in whole.counters}
check(all(every[row.ordinal] == (row.name, row.values) for row in beside.counters), "the counts of the others")

afresh, lost, _ = counted(["one_configuration"])
check_equal(({row.ordinal: (row.name, row.values) for row in afresh.counters}, lost), (by_ordinal, 0), "begun afresh")
