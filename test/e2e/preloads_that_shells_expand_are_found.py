"""A program that passes LD_PRELOAD on in a text that a second shell reads, so that $PLATFORM in it becomes nothing, is recorded, and
so is one that quotes it; the guest is loaded once."""
from support.xsp_e2e import BUILD, check_equal, work_folder, xsp_run

PROGRAM = BUILD / "test/e2e/api_spans"
SPANS = 40
COUNT = "import sys; print(len({line.split()[0] for line in open('/proc/self/maps') if 'libxsp_inject' in line and 'r-xp' in line}))"

work_folder()
for name, quote in (("as a text", ""), ("quoted", "'")):
    inner = f"""unset LD_PRELOAD; sh -c "LD_PRELOAD={quote}$kept{quote} {PROGRAM} && LD_PRELOAD={quote}$kept{quote} python3 -c \\"{COUNT}\\"" """
    done = xsp_run("sh", "-c", f"kept=$LD_PRELOAD; {inner}").check_success()
    check_equal(done.stdout.decode().splitlines()[-1], "1", f"{name}: the guest, {done.stderr}")
    check_equal(len(done.trace.spans), SPANS, f"{name}: spans")
    check_equal("cannot be preloaded" in done.stderr, False, f"{name}: {done.stderr}")
