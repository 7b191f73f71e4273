"""With samples by time, model calls in them are full and those between are shallow; the time between is a gap in the trace."""
from support.xsp_e2e import BUILD, check, clean_environment, work_folder, xsp_run

NOT_SAMPLED = 5
MS = 1_000_000

work_folder()
done = xsp_run(BUILD / "test/e2e/api_model_loop", 1,
               env=clean_environment(XSP_SAMPLE=f"{100 * MS}/{300 * MS}")).check_success()
models = sorted((s for s in done.trace.spans if s.level == "model"), key=lambda span: span.begin)
gaps = [gap for gap in done.trace.gaps if gap.reason == NOT_SAMPLED]
check(3 <= len(gaps) <= 4, f"{len(gaps)} gaps in a second")
parts = {}
for span in done.trace.spans:
    if span.level == "application":
        parts[span.parent] = parts.get(span.parent, 0) + 1
for model in models:
    check((model.id in parts) != model.shallow, "a call has parts, or it is shallow")
    inside = any(gap.begin <= model.begin and (gap.end == 0 or model.end <= gap.end) for gap in gaps)
    check(not inside or model.shallow, "a call in a gap is shallow")
full = sum(not model.shallow for model in models)
check(full > len(models) / 10, f"{full} of {len(models)} calls are full")
check(full < len(models) / 1.5, f"{full} of {len(models)} calls are full")
