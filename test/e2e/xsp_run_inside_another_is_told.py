"""An xsp-run inside another one records into a trace of its own; the outer one says so, and not that there was no framework."""
from support.span_counts import TraceCount
from support.xsp_e2e import BUILD, XSP_RUN, check, check_equal, work_folder, xsp_run

work_folder()
inner = [XSP_RUN, "-f", "-o", "inner.pb", "--", "sh", "-c", f"{BUILD / 'test/e2e/api_spans'}; sleep 1"]
done = xsp_run(*inner).check_success()
check_equal(done.stdout, b"10 predictions\n", "what the program prints")
check("xsp: wrote inner.pb" in done.stderr, f"the inner one's message: {done.stderr}")
check("writes a trace of its own" in done.stderr, done.stderr)
check("used a framework" not in done.stderr, f"no other reason is guessed: {done.stderr}")
check(any(process.spans for process in TraceCount("inner.pb").processes.values()), "spans of the inner recording")
