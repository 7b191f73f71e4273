// Which rows of a figure are part of what is selected in the page. Where none of them is, none is dimmed.
xsp.figureSelection = function (figure, draw) {
  const rows = new Set();
  for (const series of figure.series) for (const row of series.row) if (row !== null) rows.add(row);
  let held = null; // of the selection now; null: not looked up

  function look() {
    held = new Set();
    if (xsp.selection.isEmpty()) return;
    for (const row of rows) if (xsp.selection.holds(xsp.facets.ofRow(figure.table, row))) held.add(row);
  }

  xsp.selection.listen(() => {
    const before = held === null ? 0 : held.size;
    look();
    if (before !== 0 || held.size !== 0) draw();
  });

  return {
    holds(row) {
      if (held === null) look();
      return held.has(row);
    },
    // Whether others are selected and this is not.
    dims(row) {
      if (held === null) look();
      return held.size !== 0 && !held.has(row);
    },
    toggle(row) {
      if (row !== null && row !== undefined) xsp.facets.toggleRow(figure.table, row, figure.id);
    },
  };
};
