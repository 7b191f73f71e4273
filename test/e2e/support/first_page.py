"""What a report says first about made profiles (made_steps.py): verdict, findings and the rows they are based on."""

import json
import re

from support.xsp_e2e import BUILD, XSP_REPORT, check, clean_environment, run

XSP_IMPORT = BUILD / "import/xsp-import"
PER_MS = {"ns": 1e-6, "µs": 1e-3, "us": 1e-3, "ms": 1, "s": 1000}
LENGTH = r"([\d.]+) (ns|µs|us|ms|s)\b"
# What the verdict begins with, before the time of a step, a call or an iteration.
FIRST = r"^[^\d·]*"


def check_near(got, expected, what, error=0.0, share=0.01):
    """Within an absolute error (mostly the clock's), or a fraction of what is expected. If nothing is expected, 0 and no value
    are equivalent."""
    if got is None and expected == 0:
        return
    check(got is not None, f"{what}: no value, expected {expected}")
    check(abs(got - expected) <= max(error, share * abs(expected)), f"{what}\n  expected: {expected}\n  got:      {got}")


class Row(dict):
    """Cells by the names of their columns."""

    def __missing__(self, name):
        check(False, f"no column {name}, only {list(self)}")


class FirstPage:
    """A report of profiles in files; several files are several processes of one trace."""

    def __init__(self, *profiles, options=()):
        self.profiles = profiles
        trace = f"{profiles[0]}.pb"
        done = run(XSP_IMPORT, "-q", "-f", "-o", trace, *profiles, env=clean_environment())
        check(done.returncode == 0, f"xsp-import {profiles}: {done.returncode}: {done.stderr.decode()}")
        done = run(XSP_REPORT, trace, "--format", "json", *options, env=clean_environment())
        check(done.returncode == 0, f"xsp-report {trace}: {done.returncode}: {done.stderr.decode()}")
        self.report = json.loads(done.stdout)
        self.verdict = self.report.get("verdict", "")
        self.findings = self.report.get("findings", [])

    def rows(self, table, **cells):
        """The table's rows that have these cells."""
        columns = [column["name"] for column in self.report[table]["columns"]]
        rows = [Row(zip(columns, row)) for row in self.report[table]["rows"]]
        return [row for row in rows if all(row.get(name) == value for name, value in cells.items())]

    def row(self, table, **cells):
        rows = self.rows(table, **cells)
        check(len(rows) == 1, f"{table} has {len(rows)} rows with {cells}")
        return rows[0]

    def layers(self, table, operator):
        """Rows of A2, A6 or A13 about this operator, with or without its namespace and what follows its name."""
        short = operator.removeprefix("aten::")

        def is_of(row):
            texts = [str(row[column]).removeprefix("aten::") for column in ("type", "name") if row.get(column)]
            return any(text == short or re.match(re.escape(short) + r"[ \[(#]", text) for text in texts)

        if table != "A13":
            return [row for row in self.rows(table) if is_of(row)]
        indexes = {row["index"] for row in self.rows("A2") if is_of(row)}
        return [row for row in self.rows(table) if row["layer_index"] in indexes]

    def ids(self):
        return [finding["id"] for finding in self.findings]

    def finding(self, *ids):
        found = [finding for finding in self.findings if finding["id"] in ids]
        check(len(found) == 1, f"one finding of {ids}, not {self.ids()}; verdict: {self.verdict}")
        return found[0]

    def check_no_finding(self, *ids):
        said = [finding for finding in self.findings if finding["id"] in ids]
        check(
            not said,
            f"a finding that is not true: {[(f['id'], f['title'], f.get('gain_ms')) for f in said]}; verdict: {self.verdict}",
        )

    def check_findings(self, step):
        """Checks the findings: at most five, gains in falling order and no larger than a step, all shares of one whole, each
        with existing rows. Findings without a gain are doubts and come first, or offer nothing to gain."""
        check(isinstance(self.report.get("findings"), list), f"{self.profiles}: the report has no findings")
        check(len(self.findings) <= 5, f"{len(self.findings)} findings")
        check(len(set(self.ids())) == len(self.findings), f"an id twice: {self.ids()}")
        gains = [finding.get("gain_ms") for finding in self.findings if finding.get("gain_ms") is not None]
        check(gains == sorted(gains, reverse=True), f"findings are not ranked by their gains: {list(zip(self.ids(), gains))}")
        wholes = {finding.get("share_of") for finding in self.findings if finding.get("share_pct") is not None}
        check(len(wholes) <= 1, f"shares of several wholes: {wholes}")
        for finding in self.findings:
            what = f"finding {finding['id']}: {finding['title']}"
            check(finding["title"] and finding.get("advice") is not None, f"{what}: no title or advice")
            if finding.get("gain_ms") is not None:
                check(-1e-9 <= finding["gain_ms"] <= step * 1.001, f"{what}: gains {finding['gain_ms']} of a step of {step} ms")
            if finding.get("share_pct") is not None:
                check(0 <= finding["share_pct"] <= 100.1, f"{what}: {finding['share_pct']} %")
            check(finding["evidence"], f"{what}: no evidence")
            for evidence in finding["evidence"]:
                self._check_evidence(evidence, what)

    def _check_evidence(self, evidence, what):
        check(evidence["table"] in self.report, f"{what}: no table {evidence['table']}")
        rows, row = self.report[evidence["table"]]["rows"], evidence.get("row")
        if isinstance(row, int):
            check(0 <= row < len(rows), f"{what}: {evidence['table']} has no row {row}")
        elif row:
            check(any(row in cells for cells in rows), f"{what}: {evidence['table']} has no row {row!r}")

    def said(self, pattern):
        """The groups of the pattern's match in the verdict, or None."""
        check(self.verdict.strip() and "\n" not in self.verdict, f"{self.profiles}: the verdict is one line: {self.verdict!r}")
        found = re.search(pattern, self.verdict)
        return found.groups() if found else None

    def said_ms(self, before):
        """A time in the verdict after these words, in ms."""
        found = self.said(before + r"\s*" + LENGTH)
        return None if found is None else float(found[-2]) * PER_MS[found[-1]]

    def said_busy(self):
        found = self.said(r"GPU ([\d.]+) % busy")
        return None if found is None else float(found[0])

    def check_verdict(self, step, busy_pct, per_second=None):
        """Checks its numbers, as rounded there: three digits, shares to a whole percent."""
        check_near(self.said_ms(FIRST), step, f"length of a step in the verdict: {self.verdict}")
        busy, waits = self.said_busy(), self.said(r"GPU waits for the CPU (\d+) %")
        if busy is None and waits is not None:  # a verdict says one thing once
            check(90 <= float(waits[0]) + busy_pct <= 100.6, f"busy {busy_pct} %, and in the verdict: {self.verdict}")
        else:
            check_near(busy, busy_pct, f"busy share in the verdict: {self.verdict}", error=0.6, share=0)
        if per_second is not None:
            found = self.said(r"· ([\d.,]+)(k|M)? (?:\w+ ?)+/s")
            check(found is not None, f"throughput in the verdict: {self.verdict}")
            rate = float(found[0].replace(",", "")) * {"k": 1e3, "M": 1e6}.get(found[1], 1)
            check_near(rate, per_second, f"throughput in the verdict: {self.verdict}")


def page_of(loop, name="made.json", extra=(), options=()):
    return FirstPage(loop.recording.write(name, extra), options=options)
