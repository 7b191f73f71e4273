"""Verdicts: what was asked, what was seen, and whether that is good; as a table for people and as JSON."""
import json
import threading
from dataclasses import asdict, dataclass

OK, FAILED, SKIPPED, NOT_SEEN = "ok", "FAILED", "skipped", "not seen"


@dataclass
class Verdict:
    check: str
    subject: str  # what of the check, e.g. "resnet50 eager: kernels of a step"
    asked: str
    seen: str
    verdict: str
    why: str = ""


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

    def exit_status(self):
        return 1 if self.count(FAILED) else 0


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


def in_order(rows, checks):
    """Rows by check in the order of `checks`, each check's in the order they came."""
    place = {check: i for i, check in enumerate(checks)}
    return sorted(rows, key=lambda row: place.get(row.check, len(place)))


def cell(text, limit=160):
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= limit else text[: limit - 1] + "…"


def markdown(rows, facts):
    """`facts`: (name, value) pairs above the table."""
    lines = ["# GPU acceptance", ""]
    lines += [f"- {name}: {cell(str(value), 400)}" for name, value in facts]
    lines += ["", "| check | what | asked | seen | verdict | why |", "| --- | --- | --- | --- | --- | --- |"]
    for row in rows:
        lines.append("| " + " | ".join([row.check, cell(row.subject), cell(row.asked), cell(row.seen), row.verdict,
                                        cell(row.why, 400)]) + " |")
    return "\n".join(lines) + "\n"


def as_json(rows, facts):
    return json.dumps({"facts": dict(facts), "verdicts": [asdict(row) for row in rows]}, indent=1, ensure_ascii=False)


def text_table(rows):
    """For the terminal: columns as wide as they need, at most so wide."""
    widths = {"check": 16, "subject": 46, "asked": 34, "seen": 40}
    lines = ["  ".join([f"{name:<{width}}" for name, width in widths.items()] + ["verdict"])]
    for row in rows:
        cells = [f"{cell(getattr(row, name), width):<{width}}" for name, width in widths.items()]
        lines.append("  ".join(cells + [row.verdict + (f" ({cell(row.why, 200)})" if row.why else "")]))
    return "\n".join(lines)
