"""For the tests of --otlp: a receiver that keeps its requests, and answers as it is told."""
import atexit
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer


class OtlpReceiver:
    """Listens at `url` until stop(). `requests`: (time, path, headers, body). `answers`: (status, headers, body) for the
    next requests, a status None hangs up; all others succeed."""

    def __init__(self):
        self.answers, self.requests = [], []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.requests.append((time.monotonic(), self.path, dict(self.headers), body))
                status, headers, answer = receiver.answers.pop(0) if receiver.answers else (200, {}, b"")
                if status is None:
                    self.close_connection = True
                    return
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *arguments):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        atexit.register(self.stop)

    def expect(self, answers):
        self.answers, self.requests = answers, []

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
