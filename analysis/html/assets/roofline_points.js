// The points of a roofline, heaviest first, and which of them are shown.
xsp.rooflinePoints = (function () {
  const kMargin = 1.5; // what is so near to a bound of the axis would be cut: another decade
  const kFew = 30; // points are all in view
  const kTail = 0.01; // of the time, may lie below an axis

  // {x, y, size, row, roof, group}: group is what a point's colour and shape say, {bound, source}.
  function of(figure) {
    const groups = new Map();
    const points = [];
    for (const series of figure.series) {
      const bound = series.bound || "";
      const source = series.source || "";
      const key = `${bound}/${source}`;
      if (!groups.has(key)) groups.set(key, { key, bound, source });
      const group = groups.get(key);
      for (let i = 0; i < series.y.length; ++i) {
        const size = series.size === null ? 0 : series.size[i];
        points.push({ x: series.x[i], y: series.y[i], size, row: series.row[i], roof: series.roof || "", group });
      }
    }
    points.sort((a, b) => b.size - a.size || a.row - b.row);
    return { points, groups: [...groups.values()], time: points.reduce((sum, point) => sum + point.size, 0) };
  }

  // The fewest heaviest of `points`, which come heaviest first, that have `percent` of their time together.
  function heaviest(points, percent) {
    const time = points.reduce((sum, point) => sum + point.size, 0);
    if (percent >= 100 || time === 0) return points;
    const wanted = (time * percent) / 100;
    let sum = 0;
    let count = 0;
    while (count < points.length && sum < wanted) sum += points[count++].size;
    return points.slice(0, count);
  }

  // The decades that hold `points`, and the ridges of the roofs above them.
  function range(points, roofs) {
    const xs = points.map((point) => point.x);
    const ys = points.map((point) => point.y);
    for (const roof of roofs) {
      const ridge = ridgeOf(roof);
      xs.push(ridge / 10, ridge * 10);
      ys.push(roof.peak);
    }
    return { x: decades(xs), y: decades(ys) };
  }

  // What fills the plot at first: many tiny points far below would squeeze all that matters.
  function bulk(points) {
    if (points.length <= kFew) return points;
    const [x, y] = ["x", "y"].map((axis) => lowest(points, axis));
    return points.filter((point) => point.x >= x && point.y >= y);
  }

  function lowest(points, axis) {
    const time = points.reduce((sum, point) => sum + point.size, 0);
    const rising = [...points].sort((a, b) => a[axis] - b[axis]);
    let below = 0;
    return rising.find((point) => (below += point.size) > kTail * time)?.[axis] ?? 0;
  }

  function isWithin(point, range) {
    const { x, y } = range;
    return point.x >= x.min && point.x <= x.max && point.y >= y.min && point.y <= y.max;
  }

  function decades(values) {
    let low = Infinity;
    let high = 0;
    for (const value of values) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    if (!(high > 0)) return { min: 0.1, max: 10 };
    const from = Math.floor(Math.log10(low / kMargin));
    const to = Math.ceil(Math.log10(high * kMargin));
    return { min: 10 ** from, max: 10 ** Math.max(to, from + 1) };
  }

  // In flop/B: where the bandwidth's slope meets the peak.
  function ridgeOf(roof) {
    return (roof.peak * 1000) / roof.bandwidth_gbs;
  }

  return { of, heaviest, bulk, isWithin, range, ridgeOf };
})();
