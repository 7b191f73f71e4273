"""Check: the iterations of a training loop that nothing marks, and a fault planted in it."""

STEPS, LATE_EVERY = 42, 7
# On a CPU a step takes longer, and so does what stands out of it.
LATE_MS = {"cuda": 60, "cpu": 400}


def run(acceptance, verdicts):
    command = acceptance.program("torch_looping.py", "--device", acceptance.device, "--steps", STEPS, "--late-every",
                                 LATE_EVERY, "--late-ms", LATE_MS[acceptance.device])
    traced, trace = acceptance.profile("iterations", command, timeout=120)
    if not traced.good or trace is None:
        verdicts.fail("a loop without marks runs under xsp-run", "exit status 0 and a trace", traced.why())
        return
    tables = acceptance.tables(trace, ["D1", "D4"])
    seen = sum(row.get("level") == 0 for row in tables["D1"].rows)
    # Layers of a step may begin anywhere in it: of the first and the last one parts are left then.
    fewest = STEPS if acceptance.has_gpu else STEPS - 1
    verdicts.judge("iterations of a loop without marks", f"{fewest} to {STEPS}" if fewest < STEPS else STEPS, seen,
                   fewest <= seen <= STEPS)
    judge_fault(acceptance, verdicts, tables["D4"].rows)


def judge_fault(acceptance, verdicts, checks):
    """The host is late before every 7th step. Without a device the wait may lie between two layers of a step."""
    names = ["input_stall"] if acceptance.has_gpu else ["input_stall", "periodic_work"]
    found = [row for row in checks if row.get("diagnosis") in names and row.get("found")]
    asked = f"{' or '.join(names)}, every {LATE_EVERY}th"
    told = f"every {LATE_EVERY}th"
    seen = [f"{row['diagnosis']}: {row['evidence']}" for row in found]
    verdicts.judge("the planted fault is named", asked, "; ".join(seen) or "neither", any(told in text for text in seen))
    if not acceptance.has_gpu:
        return
    late = ", ".join(str(step) for step in range(LATE_EVERY - 1, STEPS, LATE_EVERY))
    iterations = found[0].get("iterations") if found else None
    verdicts.judge("the late steps", late, iterations, iterations == late)
