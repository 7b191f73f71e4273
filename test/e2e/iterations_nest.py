"""Micro-batches lie in their step, and equal layers in their model: both levels have the program's counts."""
from support.iteration_plans import US, Plan, backward, forward, run_plan
from support.iteration_tables import check_iterations, loops_of
from support.xsp_e2e import check, check_equal, work_folder

STEPS, PARTS, LAYERS = 40, 4, 12


def accumulating():
    """Gradients of several micro-batches, then one update."""
    plan = Plan()
    for _ in range(STEPS):
        plan.step()
        for _ in range(PARTS):
            plan.pause(30 * US).to_device(20_000)
            forward(plan)
            backward(plan)
        for layer in range(4):
            plan.kernel("multi_tensor_apply_adam", 60, 300 + layer)
        plan.to_host()
    return plan


def transformer():
    """Inference of a model of equal layers between an embedding and a head."""
    plan = Plan()
    for _ in range(STEPS):
        plan.step().pause(80 * US).to_device(2_000)
        plan.kernel("embedding", 20, 7)
        for _ in range(LAYERS):
            for name, us in (("layer_norm", 10), ("gemm_qkv", 60), ("flash_attention", 80), ("gemm_out", 30), ("gelu", 10)):
                plan.kernel(name, us, 48)
        plan.kernel("gemm_vocabulary", 90, 900).kernel("softmax", 15, 5).to_host(4_000)
    return plan


work_folder()
for what, plan, inside in (("micro-batches", accumulating(), PARTS), ("layers", transformer(), LAYERS)):
    run = run_plan(plan).check_as_planned()
    tables = run.tables("D1")
    loops = loops_of(tables)
    check_equal([len(rows) for (level, _), rows in loops.items() if level == 0], [STEPS], f"{what}: outermost loops")
    outer = next(rows for (level, _), rows in loops.items() if level == 0)
    check_iterations(run, outer, run.steps(), what)
    inner = [rows for (level, _), rows in loops.items() if level == 1]
    check(any(len(rows) == STEPS * inside for rows in inner), f"{what}: inner loops {[len(rows) for rows in inner]}")
    rows = next(rows for rows in inner if len(rows) == STEPS * inside)
    parents = [row["parent"] for row in rows]
    check_equal([parents.count(row["iteration"]) for row in outer], [inside] * STEPS, f"{what}: inner ones by outer one")
