// Columns as a screen can show them: where there are more places than it has room for, neighbours share a column. By
// series: the largest of them and its row; for parts of a whole their sums.
xsp.columnBins = function (figure, [low, high], most) {
  const width = Math.max(1, Math.ceil((high - low) / Math.max(1, most)));
  // From whole places on, so that the columns stay the same while the range moves.
  const start = Math.floor((low + 0.5) / width) * width - 0.5;
  const count = Math.max(1, Math.ceil((high - start) / width));
  const sums = figure.kind === "stacked";

  const columns = figure.series.map((series) => {
    const value = new Float64Array(count).fill(NaN);
    const row = new Array(count).fill(null);
    const of = new Float64Array(count).fill(-Infinity); // what the row has
    for (let i = 0; i < series.y.length; ++i) {
      const bin = Math.floor((series.x[i] - start) / width);
      if (bin < 0 || bin >= count) continue;
      const y = series.y[i];
      if (y === null) continue;
      if (Number.isNaN(value[bin])) value[bin] = y;
      else if (sums) value[bin] += y;
      else value[bin] = Math.max(value[bin], y);
      if (y > of[bin]) {
        of[bin] = y;
        row[bin] = series.row[i];
      }
    }
    return { value, row };
  });

  // Those with anything in them, in order.
  const filled = [];
  for (let bin = 0; bin < count; ++bin) {
    if (columns.some((column) => !Number.isNaN(column.value[bin]))) filled.push(bin);
  }
  return {
    width,
    low: start,
    high: start + count * width,
    columns,
    filled,
    center: (bin) => start + (bin + 0.5) * width,
    binAt: (x) => Math.floor((x - start) / width),
    // Of the x axis, both included.
    first: (bin) => Math.ceil(start + bin * width),
    last: (bin) => Math.ceil(start + (bin + 1) * width) - 1,
  };
};
