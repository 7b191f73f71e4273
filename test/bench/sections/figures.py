"""What was measured: figures with their goals and the command each is from, and how they are shown."""

import dataclasses
import json
import re

TITLES = ("what", "measured", "goal", "", "command")


@dataclasses.dataclass
class Figure:
    section: str
    what: str
    value: float
    unit: str
    goal: str
    holds: bool | None  # None: there is no goal, or what was measured does not decide
    command: str
    note: str = ""

    @property
    def verdict(self):
        if self.holds is None:
            return "undecided" if self.goal else ""
        return "ok" if self.holds else "MISSED"

    @property
    def measured(self):
        digits = 4 if abs(self.value) < 10 else 5
        text = f"{self.value:.{digits}g}" if abs(self.value) < 1e5 else f"{self.value:,.0f}"
        return f"{text} {self.unit}".strip() + (f" ({self.note})" if self.note else "")


class Figures:
    def __init__(self):
        self.figures = []
        self.tables = []  # (section, titles, rows, command)
        self.left_out = []
        self.section = ""
        self.command = ""

    def add(self, what, value, unit="", note="", goal="", holds=None):
        self.figures.append(Figure(self.section, what, value, unit, goal, holds, self.command, note))

    def at_most(self, what, value, goal, unit="", note=""):
        self.add(what, value, unit, note, f"≤ {goal:g}", value <= goal)

    def within(self, what, value, low, high, goal, unit="", note=""):
        """Of a figure with an interval: it decides where all of it lies on one side of the goal."""
        self.add(what, value, unit, note, f"≤ {goal:g}", True if high <= goal else False if low > goal else None)

    def at_least(self, what, value, goal, unit="", note=""):
        self.add(what, value, unit, note, f"≥ {goal:g}", value >= goal)

    def table(self, titles, rows):
        """A table of its own, where one line a figure would hide the comparison."""
        self.tables.append((self.section, titles, rows, self.command))

    def leave_out(self, what, why):
        self.left_out.append((self.section, what, why))

    def rows(self, section=None):
        return [
            (figure.what, figure.measured, figure.goal, figure.verdict, figure.command)
            for figure in self.figures
            if section is None or figure.section == section
        ]

    def sections(self):
        named = [*(table[0] for table in self.tables), *(figure.section for figure in self.figures), *(entry[0] for entry in self.left_out)]
        return list(dict.fromkeys(named))

    def text(self):
        lines = []
        for section in self.sections():
            lines.append(f"\n{section}")
            for _, titles, rows, _ in self.tables_of(section):
                lines += aligned([titles, *rows])
            lines += aligned([row[:4] for row in self.rows(section)])
            lines += [f"  left out: {what}: {why}" for _, what, why in self.left_out_of(section)]
        return "\n".join(lines) + "\n"

    def markdown(self):
        return "\n".join(self.pages().values())

    def pages(self):
        """The text of each section by its heading."""
        return {f"### {section[0].upper()}{section[1:]}": self.page(section) for section in self.sections()}

    def page(self, section):
        lines = [f"### {section[0].upper()}{section[1:]}", ""]
        for _, titles, rows, command in self.tables_of(section):
            lines += [*markdown_table(titles, rows), "", f"Command: `{command}`", ""]
        rows = self.rows(section)
        if rows:
            lines += [*markdown_table(TITLES, [(*row[:4], f"`{row[4]}`") for row in rows]), ""]
        for _, what, why in self.left_out_of(section):
            lines += [f"Left out: {what}: {why}.", ""]
        return "\n".join(lines)

    def tables_of(self, section):
        return [table for table in self.tables if table[0] == section]

    def left_out_of(self, section):
        return [entry for entry in self.left_out if entry[0] == section]

    def json(self):
        return json.dumps(
            {
                "figures": [dataclasses.asdict(figure) for figure in self.figures],
                "tables": [
                    {"section": section, "command": command, "rows": [dict(zip(titles, row)) for row in rows]}
                    for section, titles, rows, command in self.tables
                ],
                "left_out": [{"section": section, "what": what, "why": why} for section, what, why in self.left_out],
            },
            indent=1,
        )

    @property
    def missed(self):
        return [figure for figure in self.figures if figure.holds is False]


def aligned(rows):
    if not rows:
        return []
    widths = [max(len(str(row[column])) for row in rows) for column in range(len(rows[0]))]
    return ["  " + "  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


def markdown_table(titles, rows):
    def line(cells):
        return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"

    return [line(titles), "|" + "---|" * len(titles), *(line(row) for row in rows)]


def merge_pages(text, pages):
    """A document's sections under ### headings, those measured now in place of their older ones."""
    parts = re.split(r"^(?=### )", text, flags=re.MULTILINE)
    older = {part.split("\n", 1)[0]: part.rstrip("\n") + "\n" for part in parts if part.startswith("### ")}
    return "\n".join({**older, **pages}.values())
