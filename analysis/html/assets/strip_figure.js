// What follows one another along time (D1): a bar an iteration, a band a level. Pale ones are as the pattern, strong ones
// deviate, marked ones are outliers. Where bars are too thin to be seen, heights are shares of time.
xsp.stripFigure = function (element, figure) {
  const kBand = 34;
  const kMarks = 14; // above the bars of a band
  const kThin = 2; // pixels: bars that are thinner on average are drawn as shares
  const frame = xsp.figureFrame(element, figure, { height: figure.y.length * (kBand + kMarks) + 70 });
  const { number, quantity } = xsp.figureText;
  const selection = xsp.figureSelection(figure, () => draw());
  const hidden = new Set();
  let chart = null;
  let inView = []; // {series, i} by band, in order of time
  let shown = -1; // place in inView

  const beginOf = (bar) => bar.series.x[bar.i];
  const sizeOf = (bar) => (bar.series.size ? bar.series.size[bar.i] : 0);
  const endOf = (bar) => beginOf(bar) + sizeOf(bar);
  const countOf = (bar) => (bar.series.count ? bar.series.count[bar.i] : 1);
  const colorOf = (series) => xsp.figureChart.seriesColor(series.color || 0);
  const paintOf = (series, dim) => xsp.figureChart.dimmed(colorOf(series), dim ? (series.muted ? "28" : "48") : series.muted ? "80" : "ff");

  const bars = figure.series.flatMap((series) => series.x.map((_, i) => ({ series, i })));
  bars.sort((a, b) => a.series.depth - b.series.depth || beginOf(a) - beginOf(b));
  const begin = bars.reduce((first, bar) => Math.min(first, beginOf(bar)), Infinity);
  const last = bars.reduce((latest, bar) => Math.max(latest, endOf(bar)), begin);
  const end = last > begin ? last : begin + 1;
  const shortest = bars.reduce((least, bar) => (sizeOf(bar) > 0 ? Math.min(least, sizeOf(bar)) : least), end - begin);

  const zoom = xsp.figureZoom(frame, {
    full: [begin, end],
    least: Math.min(end - begin, shortest * 2),
    valueAt: (pixel) => chart.scales.x.getValueForPixel(pixel),
    middle: () => {
      const [low, high] = zoom.range();
      return shown < 0 ? (low + high) / 2 : beginOf(inView[shown]) + sizeOf(inView[shown]) / 2;
    },
    changed: () => {
      shown = -1;
      draw();
      walk.reset();
      const [low, high] = zoom.range();
      frame.say(`${number(low)} to ${quantity(high, figure.x.unit)}`);
    },
  });

  // As many digits as tell one from the next: a stretch may be short and late.
  function tickText(value, index, ticks) {
    const step = Math.abs(ticks[Math.min(1, ticks.length - 1)].value - ticks[0].value) || 1;
    return value.toLocaleString("en-US", { maximumFractionDigits: Math.min(9, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9))) });
  }

  const topOf = (area, band) => area.top + band * (kBand + kMarks) + kMarks;

  // Each bar by itself.
  function paintBars(ctx, scale, top, own) {
    for (const bar of own) {
      const from = scale.getPixelForValue(beginOf(bar));
      ctx.fillStyle = paintOf(bar.series, selection.dims(bar.series.row[bar.i]));
      ctx.fillRect(from, top, Math.max(0.7, scale.getPixelForValue(endOf(bar)) - from - 0.5), kBand);
    }
  }

  // Pixel by pixel how much of its time is of each series.
  function paintShares(ctx, scale, area, top, own) {
    const wide = Math.max(1, Math.floor(area.right - area.left));
    const low = scale.getValueForPixel(area.left);
    const width = (scale.getValueForPixel(area.left + wide) - low) / wide;
    const shares = new Map(); // by series and whether it is dim
    for (const bar of own) {
      const paint = paintOf(bar.series, selection.dims(bar.series.row[bar.i]));
      if (!shares.has(paint)) shares.set(paint, new Float64Array(wide));
      const time = shares.get(paint);
      let from = Math.max(low, beginOf(bar));
      const to = Math.min(low + wide * width, endOf(bar));
      for (let x = Math.floor((from - low) / width); x < wide && from < to; ++x) {
        const until = Math.min(to, low + (x + 1) * width);
        time[x] += Math.max(0, until - from);
        from = until;
      }
    }
    const below = new Float64Array(wide);
    for (const [paint, time] of shares) {
      ctx.fillStyle = paint;
      for (let x = 0; x < wide; ++x) {
        const share = Math.min(1 - below[x], time[x] / width);
        if (share <= 0) continue;
        ctx.fillRect(area.left + x, top + kBand * (1 - below[x] - share), 1, kBand * share);
        below[x] += share;
      }
    }
  }

  function paintMarks(ctx, scale, top, own) {
    const kApart = 5; // pixels: those that are nearer share a mark
    ctx.fillStyle = xsp.theme.color("--xsp-ink");
    let last = -Infinity;
    for (const bar of own) {
      if (!bar.series.marked) continue;
      const x = scale.getPixelForValue(beginOf(bar) + sizeOf(bar) / 2);
      if (x < last + kApart) continue;
      last = x;
      ctx.beginPath();
      ctx.moveTo(x, top - 2);
      ctx.lineTo(x - 4, top - 10);
      ctx.lineTo(x + 4, top - 10);
      ctx.fill();
    }
  }

  function ring(ctx, scale, area, bar, color) {
    const from = Math.max(area.left, scale.getPixelForValue(beginOf(bar)));
    const to = Math.min(area.right, scale.getPixelForValue(endOf(bar)));
    ctx.strokeStyle = color;
    ctx.lineWidth = 2;
    ctx.strokeRect(from - 1, topOf(area, bar.series.depth) - 1, Math.max(2, to - from + 1.5), kBand + 2);
  }

  const strip = {
    id: "xspStrip",
    afterDatasetsDraw(now) {
      const { ctx, chartArea, scales } = now;
      ctx.save();
      ctx.beginPath();
      ctx.rect(chartArea.left, chartArea.top, chartArea.width, chartArea.height);
      ctx.clip();
      let shares = false;
      figure.y.forEach((_, band) => {
        const own = inView.filter((bar) => bar.series.depth === band);
        const thin = own.length * kThin > chartArea.width;
        shares = shares || thin;
        if (thin) paintShares(ctx, scales.x, chartArea, topOf(chartArea, band), own);
        else paintBars(ctx, scales.x, topOf(chartArea, band), own);
        paintMarks(ctx, scales.x, topOf(chartArea, band), own);
      });
      const edge = xsp.theme.color("--xsp-select-edge");
      for (const bar of inView) if (selection.holds(bar.series.row[bar.i])) ring(ctx, scales.x, chartArea, bar, edge);
      if (shown >= 0 && shown < inView.length) ring(ctx, scales.x, chartArea, inView[shown], edge);
      ctx.restore();
      frame.setNote(shares ? "Bars are too thin to draw here: heights show the share of time in iterations. Drag over a part to zoom in." : "");
    },
  };

  function draw() {
    const [low, high] = zoom.range();
    inView = bars.filter((bar) => !hidden.has(bar.series) && beginOf(bar) <= high && endOf(bar) >= low);
    if (chart !== null) chart.destroy();
    const bottom = figure.y.length * (kBand + kMarks);
    chart = xsp.figureChart.create(
      frame,
      {
        type: "scatter",
        data: { datasets: [{ data: [] }] },
        options: {
          scales: {
            x: xsp.figureChart.scale(figure.x, { min: low, max: high, ticks: { callback: tickText } }),
            y: {
              type: "linear",
              min: 0,
              max: bottom,
              reverse: true,
              afterBuildTicks: (axis) => {
                axis.ticks = figure.y.map((_, band) => ({ value: band * (kBand + kMarks) + kMarks + kBand / 2 }));
              },
              grid: { display: false, borderColor: xsp.theme.color("--xsp-quiet") },
              ticks: { autoSkip: false, color: xsp.theme.color("--xsp-ink"), font: xsp.figureChart.font, callback: (_, band) => figure.y[band].label },
            },
          },
        },
        plugins: [strip],
      },
      figure,
    );
    Object.assign(element.dataset, { bars: inView.length, marked: inView.filter((bar) => bar.series.marked).length });
  }

  // What the table has of an iteration that a reader asks for first.
  const kFields = ["loop", "duration_ms", "period_ms", "operations", "inserted", "missing", "parent"];
  function linesOf(at) {
    const bar = inView[at];
    const table = xsp.tables.of(figure.table);
    const row = bar.series.row[bar.i];
    const place = table === undefined || row === null ? -1 : table.placeOf(row);
    const cell = (name) => (place < 0 || table.columnNamed(name) < 0 ? null : table.cell(place, table.columnNamed(name)));
    const iteration = cell("iteration");
    const first = iteration === null ? bar.series.name : `iteration ${iteration}`;
    const lines = [countOf(bar) === 1 ? first : `${countOf(bar)} iterations; the longest is ${first}`];
    lines.push(["begin", quantity(beginOf(bar), figure.x.unit)]);
    if (place < 0) lines.push(["duration", quantity(sizeOf(bar), figure.x.unit)]);
    for (const name of kFields) {
      const value = cell(name);
      if (value === null) continue;
      const unit = table.columns[table.columnNamed(name)].unit;
      lines.push([name.replace(/_ms$/, ""), typeof value === "number" ? quantity(value, unit) : String(value)]);
    }
    if (bar.series.marked) lines.push(["outlier", "longer than the others"]);
    return lines;
  }

  const points = {
    count: () => inView.length,
    show(at) {
      shown = at;
      chart.draw();
      if (at < 0) return null;
      const area = chart.chartArea;
      const middle = chart.scales.x.getPixelForValue(beginOf(inView[at]) + sizeOf(inView[at]) / 2);
      return { x: Math.max(area.left, Math.min(area.right, middle)), y: topOf(area, inView[at].series.depth) + kBand };
    },
    lines: linesOf,
    select: (at) => selection.toggle(inView[at].series.row[inView[at].i]),
    // A marked one that is near comes before what is under the pointer.
    pick(x, y) {
      const area = chart.chartArea;
      if (x < area.left || x > area.right || y < area.top || y > area.bottom) return -1;
      const band = Math.floor((y - area.top) / (kBand + kMarks));
      const scale = chart.scales.x;
      let best = -1;
      let least = 4;
      inView.forEach((bar, at) => {
        if (bar.series.depth !== band) return;
        const from = scale.getPixelForValue(beginOf(bar));
        const to = scale.getPixelForValue(endOf(bar));
        const far = (x < from ? from - x : x > to ? x - to : 0) - (bar.series.marked ? 4 : 0);
        if (far < least) {
          least = far;
          best = at;
        }
      });
      return best;
    },
  };

  frame.legend(
    figure.series.map((series) => ({
      name: series.name,
      color: paintOf(series, false),
      recolor: () => paintOf(series, false),
      toggle(on) {
        if (on) hidden.delete(series);
        else hidden.add(series);
        draw();
        walk.reset();
      },
    })),
  );
  const walk = xsp.figureWalk(frame, points);
  xsp.figurePointer(frame, points);
  frame.redraw(draw);
  draw();
  return { chart: () => chart, zoom };
};
