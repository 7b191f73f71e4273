"""A second tool that interposes the same function, preloaded behind us and in front of us, and one with a dlsym of its own:
each sees what it sees without us, its RTLD_NEXT finds what comes behind it, and we record the calls.
"""
from support.fake_cuda import GUEST, compare, fake
from support.xsp_e2e import check, check_equal, work_folder

work_folder()


def last_words(stderr):
    text = stderr if isinstance(stderr, str) else stderr.decode()
    return [line for line in text.splitlines() if "saw" in line or "lookups" in line]


tool = fake("libinterposer.so")
behind = compare(fake("linked"), LD_PRELOAD=tool).check_unchanged().check_recorded()
check_equal(last_words(behind.done.stderr)[:1], last_words(behind.plain.stderr), "a tool behind us")
check_equal(last_words(behind.plain.stderr), ["interposer saw 2 products"], "the tool itself")

front = compare(fake("linked"), LD_PRELOAD=tool, wrap=("env", f"LD_PRELOAD={tool}:{GUEST}"))
front.check_unchanged().check_recorded()
check(last_words(behind.plain.stderr)[0] in last_words(front.done.stderr), "a tool in front of us")

lookups = fake("liblookup_interposer.so")
program = (fake("looks_up"), fake("libcublas.so.13"), fake("libcudnn.so.9"))
looked = compare(*program, LD_PRELOAD=lookups).check_unchanged().check_recorded()
counted = [line for line in last_words(looked.done.stderr) if not line.endswith(" 0")]
check(counted and "lookups of products" in counted[0], f"a tool with a dlsym of its own: {looked.done.stderr}")
