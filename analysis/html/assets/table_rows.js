// Which rows of a table are shown, and in which order. Both give places.
xsp.tableRows = (function () {
  const condition = /(^|\s)([A-Za-z_]\w*)\s*(<=|>=|!=|<|>|=|~)\s*("[^"]*"|\S*)/g;
  const collator = new Intl.Collator("en", { numeric: true });

  function isNumeric(table, column) {
    if (table.columns[column].texts !== undefined) return false;
    return table.columns[column].values.every((value) => typeof value === "number" || value === null);
  }

  function hasText(table, column) {
    const { texts, values } = table.columns[column];
    return texts !== undefined || values.some((value) => typeof value === "string");
  }

  // Numbers, and truths as such, before texts where a column has both.
  function compareValues(a, b) {
    const isText = (typeof a === "string") - (typeof b === "string");
    if (isText !== 0) return isText;
    return typeof a === "string" ? collator.compare(a, b) : a - b;
  }

  // A number for each row that orders as the column does; NaN: nothing there.
  function keysOf(table, column) {
    const keys = new Float64Array(table.length);
    const ranks = new Map();
    if (!isNumeric(table, column)) {
      const values = new Set();
      for (let place = 0; place < table.length; ++place) values.add(table.cell(place, column));
      values.delete(null);
      [...values].sort(compareValues).forEach((value, rank) => ranks.set(value, rank));
    }
    for (let place = 0; place < table.length; ++place) {
      const value = table.cell(place, column);
      keys[place] = value === null ? NaN : ranks.size > 0 ? ranks.get(value) : value;
    }
    return keys;
  }

  function compare(operator, left, right) {
    switch (operator) {
      case "<":
        return left < right;
      case "<=":
        return left <= right;
      case ">":
        return left > right;
      case ">=":
        return left >= right;
      case "=":
        return left === right;
      default:
        return left !== right;
    }
  }

  function textOf(value) {
    if (value === null) return "none";
    return (typeof value === "boolean" ? (value ? "yes" : "no") : String(value)).toLowerCase();
  }

  // A test of a place, or {problem} for what cannot be one.
  function testOf(table, column, operator, wanted) {
    const { name } = table.columns[column];
    if (wanted === "") return { problem: `${name} ${operator} what?` };
    const number = Number(wanted);
    const isOrder = operator.startsWith("<") || operator.startsWith(">");
    if (isOrder && Number.isNaN(number)) return { problem: `${name} ${operator} takes a number, not ${wanted}` };
    if (operator === "~") return { test: (place) => textOf(table.cell(place, column)).includes(wanted.toLowerCase()) };
    return {
      test(place) {
        const value = table.cell(place, column);
        if (isOrder) return typeof value === "number" && compare(operator, value, number);
        if (typeof value === "number" && !Number.isNaN(number)) return compare(operator, value, number);
        return compare(operator, textOf(value), wanted.toLowerCase());
      },
    };
  }

  // All text of a row, a cell a line, for a search that knows no case.
  function linesOf(table, columns) {
    const lines = new Array(table.length);
    return (place) => {
      lines[place] ??= columns
        .map((column) => table.cell(place, column))
        .filter((value) => typeof value === "string")
        .join("\n")
        .toLowerCase();
      return lines[place];
    };
  }

  class RowFilter {
    constructor(table) {
      this.table = table;
      const columns = [...table.columns.keys()];
      this.lines = linesOf(table, columns.filter((column) => hasText(table, column)));
    }

    // Conditions on columns ("latency_ms>1", "type=Conv2d", "name~conv"), of which all must hold, and what remains:
    // text or /a regular expression/ in any column of text. {test, problem}: with a problem, nothing is to be filtered.
    parse(text) {
      const tests = [];
      const problems = [];
      const rest = text.replace(condition, (all, before, name, operator, wanted) => {
        const column = this.table.columnNamed(name);
        if (column < 0) return all;
        const { test, problem } = testOf(this.table, column, operator, wanted.replace(/^"(.*)"$/, "$1"));
        if (problem) problems.push(problem);
        else tests.push(test);
        return before;
      });
      const { test, problem } = this.textTest(rest.trim());
      if (problem) problems.push(problem);
      else if (test) tests.push(test);
      if (problems.length > 0) return { test: null, problem: problems.join("; ") };
      return { test: tests.length === 0 ? null : (place) => tests.every((holds) => holds(place)), problem: null };
    }

    textTest(text) {
      if (text === "") return {};
      const expression = /^\/(.+)\/i?$/.exec(text);
      if (expression === null) {
        const wanted = text.toLowerCase();
        return { test: (place) => this.lines(place).includes(wanted) };
      }
      try {
        const pattern = new RegExp(expression[1], "im");
        return { test: (place) => pattern.test(this.lines(place)) };
      } catch {
        return { problem: `${text} is no regular expression` };
      }
    }
  }

  return {
    isNumeric,
    filterOf: (table) => new RowFilter(table),
    // By one column, what is equal as in the table, what has no value last; column null: as the table has them.
    ordered(table, column, isDescending) {
      const places = Array.from({ length: table.length }, (_, place) => place);
      if (column === null) return places;
      const keys = keysOf(table, column);
      const sign = isDescending ? -1 : 1;
      const present = places.filter((place) => !Number.isNaN(keys[place]));
      const absent = places.filter((place) => Number.isNaN(keys[place]));
      present.sort((a, b) => sign * (keys[a] - keys[b]) || a - b);
      return present.concat(absent);
    },
  };
})();
