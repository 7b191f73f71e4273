"""A libtorch that hides one of the functions that operators are recorded by, or all: the program runs as it would alone, and a
notice says once what is missing."""
from support.fake_torch_hosts import SYMBOLS, library_without, notices_of, operators_of, record
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
check_equal(len(operators_of(record("", library=library_without("none", ()))[0])[0]), 100, "operators of a loaded libtorch")
for number, hidden in enumerate((SYMBOLS, *((symbol,) for symbol in SYMBOLS))):
    done, _ = record("", library=library_without(f"hidden-{number}", hidden))
    check_equal(operators_of(done), ([], []), f"operators without {hidden}")
    check_equal(len(notices_of(done)), 1, f"notices without {hidden}")
    check("hides what operators are recorded by" in notices_of(done)[0], f"the notice without {hidden}")
