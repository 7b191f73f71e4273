"""--resolve adds one run in which kernels and threads come one at a time; the others' environment stays the user's."""
from support.run_sets import python_set
from support.xsp_e2e import check_equal, clean_environment, work_folder

work_folder()
SHOWS = """
print(os.environ.get("CUDA_LAUNCH_BLOCKING"), os.environ.get("OMP_NUM_THREADS"))
"""
environment = clean_environment(OMP_NUM_THREADS="3")
done = python_set(SHOWS, options=("--leveled", "--level", "layer", "--resolve"), env=environment).check_success()
check_equal([done.log(number) for number in (1, 2, 3)], ["None 3\n", "None 3\n", "1 1\n"], "environment of the runs")
runs = done.index["runs"]
check_equal([run["purpose"] for run in runs], ["latencies", "latencies", "serialised"], "purposes")
check_equal(done.trace(runs[2]).header["run"]["purpose"], "SERIALISED", "in the header")
check_equal(done.trace(runs[2]).header["level"], "layer", "the serialised run goes as deep as the deepest")

done = python_set(SHOWS, options=("--resolve",), output="alone", env=environment).check_success()
check_equal([done.log(number) for number in (1, 2)], ["None 3\n", "1 1\n"], "without --leveled")
check_equal([run["level"] for run in done.index["runs"]], ["", ""], "all that can be had")
done = python_set(SHOWS, options=("--runs", "2", "--serialize"), output="all", env=environment).check_success()
check_equal([done.log(number) for number in (1, 2)], ["1 1\n"] * 2, "--serialize serialises all")
