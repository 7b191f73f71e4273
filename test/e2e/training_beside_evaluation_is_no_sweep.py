"""A loop that accumulates gradients, with another batch size in its validation: nobody is told that the batch of the validation is
the better one, that nothing runs during the backward pass, or to update the weights less often.
"""
import json
import textwrap

from support.xsp_e2e import XSP_REPORT, check, check_equal, run, torch_python, work_folder, xsp_run

PROGRAM = """
    import torch, torch.nn as nn
    model = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, stride=2), nn.ReLU(), nn.Flatten(),
                          nn.Linear(32 * 15 * 15, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    images, labels = torch.randn(16, 3, 32, 32), torch.randint(0, 10, (16,))
    for epoch in range(2):
        for i in range(24):
            nn.functional.cross_entropy(model(images), labels).backward()
            if i % 4 == 3:
                optimizer.step()
                optimizer.zero_grad()
        with torch.no_grad():
            for i in range(12):
                model(images[:4])
"""

work_folder()
with open("train.py", "w") as file:
    file.write(textwrap.dedent(PROGRAM))
recording = xsp_run(torch_python(), "train.py").check_success()
report = run(XSP_REPORT, recording.path, "--format", "json")
check_equal(report.returncode, 0, report.stderr)
whole = json.loads(report.stdout)
findings = {finding["id"]: finding for finding in whole["findings"]}
for wrong in ("optimal-batch", "host_bound", "periodic_work"):
    check(wrong not in findings, f"{wrong}: {findings.get(wrong)}")
words = " ".join(finding["title"] for finding in findings.values())
for wrong in ("optimal batch", "no operation of the loop", "less often"):
    check(wrong not in words.lower(), words)

d4 = json.loads(run(XSP_REPORT, recording.path, "-a", "D4", "--format", "json").stdout)["D4"]
names = [column["name"] for column in d4["columns"]]
host = [row for row in (dict(zip(names, row)) for row in d4["rows"]) if row["diagnosis"] == "host_bound" and row["value"] is not None]
check(bool(host), f"no row of host_bound with a value: {d4['rows']}")
check(all(row["value"] < 20 for row in host), f"idle between iterations: {host}")
