// Figures to work with, in place of the static drawings: figure as json_of() writes it (analysis/figures).
xsp.figures = (function () {
  const draw = {
    lines: (element, figure) => xsp.lineFigure(element, figure),
    columns: (element, figure) => xsp.columnFigure(element, figure),
    stacked: (element, figure) => xsp.columnFigure(element, figure),
    bars: (element, figure) => xsp.barFigure(element, figure),
    nested: (element, figure) => xsp.nestedFigure(element, figure),
    strip: (element, figure) => xsp.stripFigure(element, figure),
    roofline: (element, figure) => xsp.roofline.attach(element, figure),
  };

  // Series come by columns, without those that say nothing: rows that count from 0, x that is the row.
  function unpackSeries(series) {
    const count = series.y.length;
    if (series.row === undefined) series.row = Array.from({ length: count }, (_, i) => i);
    if (series.x === undefined) series.x = series.row;
    if (series.size === undefined) series.size = null;
    return series;
  }

  // Names come once each, and only of rows that have one.
  function unpackLabels(figure) {
    const labels = [];
    (figure.named || []).forEach((name, i) => {
      labels[figure.named_rows ? figure.named_rows[i] : i] = figure.names[name];
    });
    figure.labels = labels;
  }

  return {
    // The svg stays when there is nothing to draw with, and of what there is nothing to work with ("states").
    attach(element, figure) {
      if (typeof Chart === "undefined" || draw[figure.kind] === undefined) return null;
      if (!figure.unpacked) {
        figure.series.forEach(unpackSeries);
        unpackLabels(figure);
        figure.unpacked = true;
      }
      return draw[figure.kind](element, figure);
    },
  };
})();
