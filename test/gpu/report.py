"""Tables of xsp-report as it prints them in JSON, with rows by column name."""
import json


class ReportError(Exception):
    pass


class Table:
    def __init__(self, raw):
        self.columns = [column["name"] for column in raw.get("columns", [])]
        self.rows = [dict(zip(self.columns, row)) for row in raw.get("rows", [])]
        self.notes = raw.get("notes", [])

    def values(self, column):
        return [row.get(column) for row in self.rows]

    def total(self, column):
        """The sum of what is not null; None where all is."""
        values = [value for value in self.values(column) if value is not None]
        return sum(values) if values else None


def parse(text):
    """Analysis id -> Table."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise ReportError(f"xsp-report printed no JSON ({error})") from error
    return {key: Table(value) for key, value in data.items() if isinstance(value, dict) and "rows" in value}


def quality(table):
    """(quantity, level) -> value of Q1."""
    return {(row.get("quantity"), row.get("level")): row.get("value") for row in table.rows}
