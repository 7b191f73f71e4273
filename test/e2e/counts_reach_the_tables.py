"""A8 has for every kernel of the first run, those of a replayed graph too, what the second run counted: device memory read and
written; and says that it comes from counters.
"""
from support.fake_cuda import device_environment, fake, read_truth
from support.xsp_e2e import check, check_equal, report, work_folder, xsp_run


def mebibytes(metric, line):
    blocks = line["grid"][0] * line["grid"][1] * line["grid"][2]
    return (sum(metric.encode()) % 101 * 1000000 + blocks * 1000 + sum(line["name"].encode()) % 997) / 2**20


work_folder()
for words in ([5], [5, "graph"]):
    open("truth.log", "w").close()
    done = xsp_run(fake("inference"), *words, options=("--metrics", "roofline-fp32"), env=device_environment()).check_success()
    table = report(done.path, "--analysis", "A8")["A8"]
    names = [column["name"] if isinstance(column, dict) else column for column in table["columns"]]
    at = {name: i for i, name in enumerate(names)}
    expected = {}
    for line in read_truth():
        if line["kind"] == "kernel":
            expected[line["name"]] = tuple(
                mebibytes(f"dram__bytes_{which}.sum", line) for which in ("read", "write"))
    check_equal(len(table["rows"]), 8, f"{words}: kernels of an evaluation")
    for row in table["rows"]:
        name = row[at["kernel_name"]]
        seen = (row[at["dram_read_mib"]], row[at["dram_write_mib"]])
        check(all(abs(a - b) <= 1e-3 * b for a, b in zip(seen, expected[name])),
              f"{words}: {name}: {seen} MiB, not {expected[name]}")  # fmt: skip
        check_equal(row[at["source"]], "counters", f"{words}: {name}: source")
