"""With one call of each ten sampled, exactly those have layers and operators; of the others the model span alone is there."""
from support.trace_reader import OPERATOR, TORCH_MODULE, TORCH_ROOT
from support.xsp_e2e import PROGRAMS, check, check_equal, clean_environment, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
sampled = clean_environment(XSP_SAMPLE="1/10")


def check_whole(trace, calls, what):
    roots = trace.of_kind(TORCH_ROOT)
    check_equal(len(roots), calls, f"{what}: model spans")
    check_equal(sum(not root.shallow for root in roots), calls // 10, f"{what}: full ones")
    layers = {}
    for layer in trace.of_kind(TORCH_MODULE):
        check(layer.above in roots, f"{what}: {layer.name} lies in a model span")
        layers.setdefault(id(layer.above), []).append(layer.name)
    for root in roots:
        check_equal(layers.get(id(root), []), [] if root.shallow else ["0", "1", "2"], f"{what}: layers of a call")
        check(root.shape == "[4,8]" and root.input == "[4,64]", f"{what}: every call has its shapes")
    check_equal(len({root.scope for root in roots}), 1, f"{what}: scopes of full and shallow calls")


plain = xsp_run(python, PROGRAMS / "torch_sampled.py", 100, env=sampled).check_success().trace
check_whole(plain, 100, "one thread")
check_equal([i // 10 for i, root in enumerate(plain.of_kind(TORCH_ROOT)) if not root.shallow], list(range(10)),
            "the tens of the calls that are sampled")
shallow = [root for root in plain.of_kind(TORCH_ROOT) if root.shallow]
inside = [s for s in plain.of_kind(OPERATOR) if any(root.begin <= s.begin and s.end <= root.end for root in shallow)]
check_equal(inside, [], "operators inside calls that are not sampled")

trace = xsp_run(python, PROGRAMS / "torch_sampled.py", 50, "threads", env=sampled).check_success().trace
check_whole(trace, 200, "four threads")
