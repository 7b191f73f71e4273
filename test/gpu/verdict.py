"""Verdicts: what was asked, what was seen, and whether that is good; as a table for people and as JSON."""
import json
import threading
from dataclasses import asdict, dataclass

OK, FAILED, SKIPPED, NOT_SEEN = "ok", "FAILED", "skipped", "not seen"
# How far a check is. In one that timed out a program had no end; one that was cut had no time left.
WAITING, RUNNING, DONE, TIMED_OUT, CUT = "not reached", "running", "done", "timed out", "cut"


@dataclass
class Verdict:
    check: str
    subject: str  # what of the check, e.g. "resnet50 eager: kernels of a step"
    asked: str
    seen: str
    verdict: str
    why: str = ""


@dataclass
class Progress:
    state: str = WAITING
    seconds: float = 0


class Verdicts:
    """The rows of all checks. Any thread may add one."""

    def __init__(self, on_row=lambda row: None):
        self.rows = []
        self._lock = threading.Lock()
        self._on_row = on_row

    def add(self, check, subject, asked, seen, verdict, why=""):
        row = Verdict(check, subject, str(asked), str(seen), verdict, str(why))
        with self._lock:
            self.rows.append(row)
        self._on_row(row)

    def count(self, verdict):
        with self._lock:
            return sum(row.verdict == verdict for row in self.rows)

    def exit_status(self, must_run=()):
        with self._lock:
            return exit_status(self.rows, must_run)


class CheckVerdicts:
    """Adds rows for one check."""

    def __init__(self, verdicts, check):
        self._verdicts = verdicts
        self.check = check

    def judge(self, subject, asked, seen, good, why=""):
        """`good` is the outcome; `why` is kept where it is not."""
        self._verdicts.add(self.check, subject, asked, seen, OK if good else FAILED, "" if good else why)
        return good

    def fail(self, subject, asked, why):
        self._verdicts.add(self.check, subject, asked, "–", FAILED, why)

    def skip(self, subject, why):
        """The machine lacks what it takes."""
        self._verdicts.add(self.check, subject, "–", "–", SKIPPED, why)

    def not_seen(self, subject, asked, why):
        """It ran, but here nothing can be said about it."""
        self._verdicts.add(self.check, subject, asked, "–", NOT_SEEN, why)

    def fact(self, subject, seen):
        self._verdicts.add(self.check, subject, "–", seen, OK)


def skipped_checks(rows):
    """Names of checks of which something was skipped."""
    return list(dict.fromkeys(row.check for row in rows if row.verdict == SKIPPED))


def exit_status(rows, must_run=()):
    """1 if something failed, 3 if something of a check was skipped that must run here."""
    if any(row.verdict == FAILED for row in rows):
        return 1
    return 3 if set(must_run) & set(skipped_checks(rows)) else 0


def last_line(rows, must_run=()):
    """How many of each verdict, and what was skipped."""
    numbers = ", ".join(f"{sum(row.verdict == v for row in rows)} {v}" for v in (OK, FAILED, SKIPPED, NOT_SEEN))
    skipped = skipped_checks(rows)
    if not skipped:
        return numbers
    loud = "".join(f"; {check} MUST RUN HERE" for check in must_run if check in skipped)
    return f"{numbers} (skipped, wholly or in part: {', '.join(skipped)}{loud})"


def in_order(rows, checks):
    """Rows by check in the order of `checks`, each check's in the order they came."""
    place = {check: i for i, check in enumerate(checks)}
    return sorted(rows, key=lambda row: place.get(row.check, len(place)))


def cell(text, limit=160):
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= limit else text[: limit - 1] + "…"


def markdown(rows, facts, answers=(), checks=None):
    """`facts`: (name, value) pairs above the table. `answers` of recordings, and how far the checks are (name -> Progress)."""
    lines = ["# GPU acceptance", ""]
    lines += [f"- {name}: {cell(str(value), 400)}" for name, value in facts]
    lines += [f"- checks: {progress_line(checks)}"] if checks else []
    lines += answer_lines(answers) if answers else []
    lines += ["", "| check | what | asked | seen | verdict | why |", "| --- | --- | --- | --- | --- | --- |"]
    for row in rows:
        lines.append("| " + " | ".join([row.check, cell(row.subject), cell(row.asked), cell(row.seen), row.verdict,
                                        cell(row.why, 600)]) + " |")
    return "\n".join(lines) + "\n"


def progress_line(checks):
    """How many are done, and which are not."""
    by_state = {}
    for name, progress in checks.items():
        by_state.setdefault(progress.state, []).append(name)
    done = by_state.pop(DONE, [])
    return "; ".join([f"{len(done)} of {len(checks)} done", *(f"{state}: {', '.join(names)}" for state, names in by_state.items())])


def answer_lines(answers):
    """One line a question and answer, with the recordings that give it."""
    merged = {}
    for answer in answers:
        key = str(answer.get("question")), str(answer.get("answer"))
        merged.setdefault(key, []).append(answer)
    order = list(dict.fromkeys(question for question, _ in merged))
    lines = ["", "## What CUPTI does here", "", "| question | answer | recordings | evidence |", "| --- | --- | --- | --- |"]
    for (question, answer), same in sorted(merged.items(), key=lambda item: order.index(item[0][0])):
        recordings = ", ".join(dict.fromkeys(one["recording"] for one in same))
        lines.append(f"| {cell(question)} | {cell(answer, 300)} | {cell(recordings, 400)} | "
                     f"{cell(str(same[0].get('evidence', '')), 300)} |")
    return [*lines, "", "## What was asked and seen"]


def as_json(rows, facts, answers=(), checks=None):
    return json.dumps({"facts": dict(facts), "checks": {name: asdict(progress) for name, progress in (checks or {}).items()},
                       "answers": list(answers), "verdicts": [asdict(row) for row in rows]}, indent=1, ensure_ascii=False)


def text_table(rows):
    """For the terminal: columns as wide as they need, at most so wide."""
    widths = {"check": 16, "subject": 46, "asked": 34, "seen": 40}
    lines = ["  ".join([f"{name:<{width}}" for name, width in widths.items()] + ["verdict"])]
    for row in rows:
        cells = [f"{cell(getattr(row, name), width):<{width}}" for name, width in widths.items()]
        lines.append("  ".join(cells + [row.verdict + (f" ({cell(row.why, 200)})" if row.why else "")]))
    return "\n".join(lines)
