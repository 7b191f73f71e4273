"""What is left behind: verdict.md and verdict.json after each check, the archives of the evidence after each stage. With an
earlier run's verdict.json the tables are of both.
"""
import json
import os
import threading
import time
from pathlib import Path

from verdict import CUT, DONE, FAILED, RUNNING, TIMED_OUT, WAITING, Progress, Verdict, as_json, in_order, markdown

SECONDS_BETWEEN_ARCHIVES = 40


class ResultsError(Exception):
    pass


class Earlier:
    """What a run before this one has left in its folder."""

    def __init__(self, folder):
        path = Path(folder)
        path = path / "verdict.json" if path.is_dir() else path
        try:
            read = json.loads(path.read_text(encoding="utf-8"))
            self.facts = read["facts"]
            self.checks = {name: Progress(**progress) for name, progress in read["checks"].items()}
            self.answers = read["answers"]
            self.rows = [Verdict(**row) for row in read["verdicts"]]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ResultsError(f"cannot go on from {path} ({type(error).__name__}: {error})") from error

    def is_to_run(self, name):
        """It was not reached then, or did not come to an end."""
        return self.checks.get(name, Progress()).state != DONE


class Results:
    """Methods may be called by any thread."""

    def __init__(self, output, order, checks, verdicts, acceptance, earlier=None):
        self.output, self.order, self.verdicts, self.acceptance, self.earlier = Path(output), order, verdicts, acceptance, earlier
        self.checks = {check: Progress() for check in checks}
        self._lock = threading.Lock()
        self._archived = time.monotonic()

    def begin(self, check):
        self._set(check, RUNNING, 0)

    def end(self, check, state, seconds):
        self._set(check, state, round(seconds, 1))

    def _set(self, check, state, seconds):
        self.checks[check] = Progress(state, seconds)
        self.write()

    def state(self, check):
        return self.checks[check].state

    def rows(self):
        """Of an earlier run those of checks that this one has not begun, or has not come further with."""
        rows = list(self.verdicts.rows)
        if self.earlier:
            own = {check for check, progress in self.merged_checks().items() if self.checks.get(check) is progress}
            rows = [row for row in rows if row.check in own or row.check not in self.earlier.checks]
            rows += [row for row in self.earlier.rows if row.check not in own]
        return in_order(rows, self.order)

    def merged_checks(self):
        if not self.earlier:
            return self.checks
        further = [WAITING, RUNNING, CUT, TIMED_OUT, DONE]
        merged = dict(self.earlier.checks)
        for check, progress in self.checks.items():
            before = merged.get(check)
            if before is None or further.index(progress.state) >= further.index(before.state):
                merged[check] = progress
        return {check: merged[check] for check in sorted(merged, key=lambda name: self.order.index(name)
                                                         if name in self.order else len(self.order))}

    def facts(self):
        """Of both runs; where they differ both are told."""
        facts = dict(self.acceptance.facts)
        for name, value in (self.earlier.facts if self.earlier else {}).items():
            if name not in facts:
                facts[name] = value
            elif str(facts[name]) != str(value) and name in ("GPU", "driver", "date", "took"):
                facts[name] = f"{value}; then {facts[name]}"
        return list(facts.items())

    def answers(self):
        recorded = {answer["recording"] for answer in self.acceptance.answers}
        before = self.earlier.answers if self.earlier else []
        return [answer for answer in before if answer["recording"] not in recorded] + list(self.acceptance.answers)

    def count(self, verdict):
        return sum(row.verdict == verdict for row in self.rows())

    def write(self):
        """Both files, each replaced when it is whole."""
        with self._lock:
            rows, facts, answers, checks = self.rows(), self.facts(), self.answers(), self.merged_checks()
            replace(self.output / "verdict.md", markdown(rows, facts, answers, checks))
            replace(self.output / "verdict.json", as_json(rows, facts, answers, checks))

    def write_all(self):
        self.write()
        self._archived = time.monotonic()
        self.acceptance.evidence.write()

    def write_all_now_and_then(self):
        """The archives take seconds: not after each check."""
        if time.monotonic() - self._archived >= SECONDS_BETWEEN_ARCHIVES:
            self.write_all()

    def failed_for_want_of_time(self):
        """Rows for what was not reached: at the end."""
        for check, progress in self.checks.items():
            if progress.state in (WAITING, RUNNING):
                if progress.state == RUNNING:
                    self.checks[check] = Progress(CUT, progress.seconds)
                self.verdicts.add(check, "all of it", "an end", "–", FAILED, "the time was over: --continue runs it")


def replace(path, text):
    part = Path(f"{path}.part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)
