"""A10, A11 and A15 have the same number of kernels and the same sum, and with --per trace those of all that ran."""
from support.fake_cuda import fake, run_on_device
from support.xsp_e2e import check_equal, work_folder


def sums(tables, name, count, latency):
    columns = [column["name"] for column in tables[name]["columns"]]
    rows = [dict(zip(columns, row)) for row in tables[name]["rows"]]
    if name == "A15" and all(row["n"] for row in rows):
        rows = [max(rows, key=lambda row: row["n"])]  # of the group with most evaluations
    return sum(row[count] for row in rows), round(sum(row[latency] for row in rows), 6)


work_folder()
for words in (["inference", 5], ["inference", 5, "graph"], ["inference", 5, "clone"], ["inference", 5, "streams"],
              ["inference", 5, "devices"], ["driver_launches"], ["graph_nodes"]):  # fmt: skip
    outcome = run_on_device(fake(words[0]), *words[1:], FAKE_CUDA_DEVICES=2).check_success()
    for options in ([], ["--per", "trace"]):
        tables = outcome.tables("A10", "A11", "A15", options=options)
        found = {sums(tables, "A10", "count", "latency_ms"), sums(tables, "A11", "kernel_count", "kernel_latency_ms")}
        if not options:
            found.add(sums(tables, "A15", "kernel_count", "kernel_latency_ms"))
        check_equal(len(found), 1, f"{words} {options}: different sums {found}")
        if options:
            ran = outcome.truth_of("kernel")
            check_equal(found, {(len(ran), round(sum(line["duration"] for line in ran) / 1e6, 6))}, f"{words}: what ran")
