// Rows of a table as text for other programs: every column, values as stored.
xsp.tableText = (function () {
  function plain(value) {
    return value === null ? "" : String(value);
  }

  function quoted(text) {
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  function cells(table, place) {
    return table.columns.map((column, i) => plain(table.cell(place, i)));
  }

  return {
    // RFC 4180, as xsp-report --format csv writes it.
    csv(table, places) {
      const records = [table.columns.map((column) => column.name), ...places.map((place) => cells(table, place))];
      return records.map((record) => record.map(quoted).join(",") + "\r\n").join("");
    },
    // For spreadsheets: what would be a further cell or row is a blank.
    tsv(table, places) {
      const records = [table.columns.map((column) => column.name), ...places.map((place) => cells(table, place))];
      return records.map((record) => record.map((text) => text.replace(/[\t\r\n]+/g, " ")).join("\t") + "\n").join("");
    },
  };
})();
