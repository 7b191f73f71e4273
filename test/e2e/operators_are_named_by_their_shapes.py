"""A layer that is an operator without a module is named by what it reads: channels, kernel and image of a convolution. Its type
stays the operator's, and recordings of another batch have the same layers.
"""

from support.first_page import page_of
from support.made_steps import training
from support.xsp_e2e import XSP_REPORT, check, check_equal, clean_environment, run, work_folder

work_folder()
page = page_of(training(steps=8, item=True, batch=32))
names = {row["name"] for row in page.layers("A2", "aten::conv2d")}
print(f"convolutions: {sorted(names)}")
check(names and all(name.startswith("conv2d ") and "→" in name and "/" in name for name in names), f"names of convolutions: {names}")
check_equal({row["type"] for row in page.layers("A2", "aten::conv2d")}, {"aten::conv2d"}, "types of convolutions")
check_equal({row["layer_name"] for row in page.layers("A13", "aten::conv2d")}, names, "their names in A13")
operators = {row["operator"] for row in page.rows("A8") if row["operator"]}
check("aten::cudnn_convolution" in operators or "aten::conv2d" in operators, f"operators of kernels: {operators}")

other = page_of(training(steps=8, item=True, batch=64, seed=3), name="other.json")
added = [name for name in {row["name"] for row in other.rows("A2")} if "64×" in name]
check(added, "a batch of 64 has layers with shapes of its own")
first, second = (f"{p.profiles[0]}.pb" for p in (page, other))
done = run(XSP_REPORT, "--diff", first, second, "-a", "A2", "--format", "csv", env=clean_environment())
check(done.returncode == 0, f"xsp-report --diff: {done.returncode}: {done.stderr.decode()}")
text = done.stdout.decode()
check("removed" not in text and "added" not in text, f"layers of another batch are other layers:\n{text}")
