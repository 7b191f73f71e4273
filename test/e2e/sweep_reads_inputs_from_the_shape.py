"""Without --inputs and a parameter named batch, throughput counts the first dimension of the model's input."""
import json

from support.sweep import bench, column
from support.xsp_e2e import check, check_equal, torch_python, work_folder

python = torch_python()
folder = work_folder()
(folder / "infer.py").write_text("""
import sys, torch
model = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.ReLU()).eval()
with torch.no_grad():
    for _ in range(4):
        model(torch.zeros(int(sys.argv[1]), 1, 8, 8))
""")
swept = bench("-L", "images", "2,6", "--export-json", "tables.json", "--", python, "infer.py", "{images}")
check_equal(swept.returncode, 0, swept.stderr)
a1 = json.loads((folder / "tables.json").read_text())["A1"]
rows = {str(images): (latency, throughput) for images, latency, throughput in
        zip(column(a1, "images"), column(a1, "latency_ms"), column(a1, "throughput_per_s"))}  # fmt: skip
check_equal(set(rows), {"2", "6"}, "a row of each point")
for images, (latency, throughput) in rows.items():
    expected = int(images) / latency * 1000
    check(throughput is not None and abs(throughput / expected - 1) < 1e-6, f"{images}: {throughput} inputs/s, not {expected}")
