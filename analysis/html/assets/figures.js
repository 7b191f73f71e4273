// Figures to work with, in place of the static drawings: figure as json_of() writes it (analysis/figures).
xsp.figures = (function () {
  const draw = {
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

  return {
    // The svg stays when there is nothing to draw with.
    attach(element, figure) {
      if (typeof Chart === "undefined" || draw[figure.kind] === undefined) return null;
      if (!figure.unpacked) {
        figure.series.forEach(unpackSeries);
        figure.unpacked = true;
      }
      return draw[figure.kind](element, figure);
    },
  };
})();
