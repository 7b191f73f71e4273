"""What is kept beside the verdicts: what programs printed, their stacks and traces, golden traces, recordings. Two archives that
are written again and again, so that there is something when all of it is killed.
"""
import gzip
import json
import os
import shutil
import tarfile
import threading
from pathlib import Path

LARGEST_ARCHIVE_BYTES = 14 << 20
LARGEST_GOLDEN_BYTES = 300_000
LARGEST_RECORDING_BYTES = 12 << 20  # unpacked; of a longer one the beginning and the end
TEXT_SHRINKS_TO = 1 / 5


class Evidence:
    """Methods may be called by any thread."""

    def __init__(self, work, output):
        self.work, self.output = Path(work), Path(output)
        self.golden = {}
        self._log, self._recordings = [], []
        self._lock = threading.Lock()
        self._writing = threading.Lock()

    def log_outcome(self, outcome):
        text = [f"=== {outcome.name}: {'timed out' if outcome.timed_out else outcome.returncode}, {outcome.seconds:.1f} s",
                "$ " + " ".join(outcome.command)]
        if not outcome.name.startswith("report-") or outcome.returncode:
            text += [tail(outcome.stdout), tail(outcome.stderr)]
        with self._lock:
            self._log.append("\n".join(line for line in text if line))

    def keep_golden(self, name, trace, answers):
        """Remembers a trace that may become a golden file, with what another one counted in it."""
        size = Path(trace).stat().st_size
        entry = {"bytes": size, "answers": answers}
        folder = self.work / "golden"
        folder.mkdir(exist_ok=True)
        if size <= LARGEST_GOLDEN_BYTES and not str(trace).endswith(".partial"):
            entry["file"] = f"{name}.pb"
            shutil.copyfile(trace, folder / entry["file"])
        with self._lock:
            self.golden[name] = entry
            (folder / "golden.json").write_text(json.dumps(self.golden, indent=1), encoding="utf-8")

    def keep_recording(self, path):
        """Packs a recording; the file itself is removed."""
        packed = Path(f"{path}.gz")
        size = path.stat().st_size
        with open(path, "rb") as file, gzip.open(packed, "wb", compresslevel=4) as out:
            if size <= LARGEST_RECORDING_BYTES:
                shutil.copyfileobj(file, out, 1 << 20)
            else:
                half = LARGEST_RECORDING_BYTES // 2
                out.write(file.read(half).rpartition(b"\n")[0])
                out.write(f"\ncut out of {size} bytes\n".encode())
                file.seek(size - half)
                out.write(file.read().partition(b"\n")[2])
        path.unlink()
        with self._lock:
            self._recordings.append(packed)

    def write(self):
        """Both archives, each replaced when it is whole."""
        with self._writing:
            with self._lock:
                (self.work / "log.txt").write_text("\n".join(self._log), encoding="utf-8", errors="replace")
                recordings = sorted(self._recordings, key=lambda path: path.stat().st_size)
            self._write_archive("evidence.tar.gz", "w:gz", self._files())
            if recordings:
                self._write_archive("recordings.tar", "w", [(path, f"recordings/{path.name}") for path in recordings])

    def _files(self):
        """(file, name in the archive): what was said first, then golden traces, then traces, the small ones first."""
        of = lambda pattern: sorted((file for file in self.work.glob(pattern) if file.is_file()),
                                    key=lambda file: file.stat().st_size)
        files = [self.work / "log.txt", *of("*.stacks"), *of("golden/*"), *of("*.pb"), *of("*.partial"), *of("*.json")]
        return [(file, f"evidence/{file.relative_to(self.work)}") for file in files]

    def _write_archive(self, name, mode, files):
        part = self.output / f"{name}.part"
        options = {"compresslevel": 6} if mode == "w:gz" else {}
        with open(part, "wb") as out, tarfile.open(fileobj=out, mode=mode, **options) as archive:
            for file, place in files:
                try:
                    packed = file.stat().st_size * (TEXT_SHRINKS_TO if file.suffix in (".json", ".txt", ".stacks") else 1)
                    if out.tell() + packed <= LARGEST_ARCHIVE_BYTES:
                        archive.add(file, arcname=place)
                except OSError:  # a program is writing or has removed it
                    continue
        os.replace(part, self.output / name)


def tail(text, limit=3000):
    text = text.rstrip()
    return text if len(text) <= limit else "…" + text[-limit:]
