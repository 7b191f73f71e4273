// The events of each level set inside one another (L1): a band for each level of each set. Green ones are timed right
// by their set, grey ones contain the overhead of deeper levels.
xsp.nestedFigure = function (element, figure) {
  const kBand = 26;
  const kMost = 4000; // drawn at once: the longest in view
  const bandKey = (series) => `${series.panel}/${series.depth}`;
  const bands = [...new Set([...figure.series].sort((a, b) => a.panel - b.panel || a.depth - b.depth).map(bandKey))];
  const frame = xsp.figureFrame(element, figure, { height: bands.length * kBand + 70 });
  const { number, quantity, shown: clean, shortened } = xsp.figureText;
  const selection = xsp.figureSelection(figure, () => draw());
  let chart = null;
  let drawn = []; // {series, i, band} in order of time
  let shown = -1;

  let end = 0;
  for (const series of figure.series) series.x.forEach((x, i) => (end = Math.max(end, x + (series.size ? series.size[i] : 0))));
  if (end === 0) end = 1;

  const zoom = xsp.figureZoom(frame, {
    full: [0, end],
    least: end / 10_000,
    valueAt: (pixel) => chart.scales.x.getValueForPixel(pixel),
    middle: () => {
      const [low, high] = zoom.range();
      return shown < 0 ? (low + high) / 2 : beginOf(drawn[shown]) + sizeOf(drawn[shown]) / 2;
    },
    changed: () => {
      shown = -1;
      draw();
      walk.reset();
      const [low, high] = zoom.range();
      frame.say(`${number(low)} to ${quantity(high, figure.x.unit)}`);
    },
  });

  const beginOf = (event) => event.series.x[event.i];
  const sizeOf = (event) => (event.series.size ? event.series.size[event.i] : 0);
  const nameOf = (event) => figure.labels[event.series.y[event.i]] || "(no name)";
  const colorOf = (event) => xsp.figureChart.seriesColor(event.series.muted ? 7 : 2);

  function inView() {
    const [low, high] = zoom.range();
    const found = [];
    for (const series of figure.series) {
      const band = bands.indexOf(bandKey(series));
      for (let i = 0; i < series.x.length; ++i) {
        const event = { series, i, band };
        if (beginOf(event) <= high && beginOf(event) + sizeOf(event) >= low) found.push(event);
      }
    }
    const all = found.length;
    if (all > kMost) found.sort((a, b) => sizeOf(b) - sizeOf(a)).length = kMost;
    found.sort((a, b) => a.band - b.band || beginOf(a) - beginOf(b));
    frame.setNote(all > kMost ? `Showing the ${kMost} longest of ${all} events in view.` : "");
    return found;
  }

  const names = {
    id: "xspEventNames",
    afterDatasetsDraw(now) {
      const { ctx, scales, chartArea } = now;
      ctx.save();
      ctx.font = `12px ${xsp.figureChart.font.family}`;
      ctx.textBaseline = "middle";
      ctx.fillStyle = xsp.theme.color("--xsp-ink");
      drawn.forEach((event, at) => {
        const from = Math.max(chartArea.left, scales.x.getPixelForValue(beginOf(event)));
        const to = Math.min(chartArea.right, scales.x.getPixelForValue(beginOf(event) + sizeOf(event)));
        const y = scales.y.getPixelForValue(event.band);
        const letters = Math.floor((to - from - 8) / 7);
        if (letters >= 4) ctx.fillText(shortened(clean(nameOf(event)), letters), from + 4, y);
        if (at === shown) {
          ctx.strokeStyle = xsp.theme.color("--xsp-select-edge");
          ctx.lineWidth = 2;
          ctx.strokeRect(from, y - kBand * 0.42, Math.max(2, to - from), kBand * 0.84);
        }
      });
      ctx.restore();
    },
  };

  const bandName = (key) => {
    const [panel, depth] = key.split("/").map(Number);
    const series = figure.series.find((one) => one.panel === panel && one.depth === depth);
    const level = series.name.split(",")[0];
    return depth === 0 ? `${figure.y[panel].label}: ${level}` : level;
  };

  function draw() {
    drawn = inView();
    if (chart !== null) chart.destroy();
    const [low, high] = zoom.range();
    const labels = bands.map(bandName);
    chart = xsp.figureChart.create(
      frame,
      {
        type: "bar",
        data: {
          datasets: [
            {
              data: drawn.map((event) => ({ x: [beginOf(event), beginOf(event) + sizeOf(event)], y: event.band })),
              backgroundColor: drawn.map((event) => xsp.figureChart.dimmed(colorOf(event), selection.dims(event.series.row[event.i]) ? "28" : "78")),
              borderColor: drawn.map(colorOf),
              borderWidth: { left: 1 },
              borderSkipped: false,
              grouped: false,
              barThickness: kBand * 0.84,
            },
          ],
        },
        options: {
          indexAxis: "y",
          scales: {
            x: xsp.figureChart.scale(figure.x, { min: low, max: high }),
            y: {
              type: "linear",
              min: -0.5,
              max: bands.length - 0.5,
              reverse: true,
              offset: false,
              afterBuildTicks: (axis) => {
                axis.ticks = bands.map((_, band) => ({ value: band }));
              },
              grid: { display: false, borderColor: xsp.theme.color("--xsp-quiet") },
              ticks: { autoSkip: false, color: xsp.theme.color("--xsp-ink"), font: xsp.figureChart.font, callback: (band) => labels[band] },
            },
          },
        },
        plugins: [names],
      },
      figure,
    );
  }

  const points = {
    count: () => drawn.length,
    show(at) {
      shown = at;
      chart.draw();
      if (at < 0) return null;
      const middle = beginOf(drawn[at]) + sizeOf(drawn[at]) / 2;
      const x = Math.max(chart.chartArea.left, Math.min(chart.chartArea.right, chart.scales.x.getPixelForValue(middle)));
      return { x, y: chart.scales.y.getPixelForValue(drawn[at].band) };
    },
    lines(at) {
      const event = drawn[at];
      return [
        nameOf(event),
        ["level set", figure.y[event.series.panel].label],
        ["level", event.series.name],
        ["begin", quantity(beginOf(event), figure.x.unit)],
        ["latency", quantity(sizeOf(event), event.series.unit)],
      ];
    },
    select: (at) => selection.toggle(drawn[at].series.row[drawn[at].i]),
    pick(x, y) {
      const area = chart.chartArea;
      if (x < area.left || x > area.right || y < area.top || y > area.bottom) return -1;
      const band = Math.min(bands.length - 1, Math.floor(((y - area.top) / area.height) * bands.length));
      const scale = chart.scales.x;
      let best = -1;
      let least = 4; // pixels beside an event that is too thin to be hit
      drawn.forEach((event, at) => {
        if (event.band !== band) return;
        const from = scale.getPixelForValue(beginOf(event));
        const to = scale.getPixelForValue(beginOf(event) + sizeOf(event));
        const far = x < from ? from - x : x > to ? x - to : 0;
        if (far < least) {
          least = far;
          best = at;
        }
      });
      return best;
    },
  };
  frame.legend([
    { name: "timed without deeper levels", color: xsp.figureChart.seriesColor(2), recolor: () => xsp.figureChart.seriesColor(2) },
    { name: "with the overhead of deeper levels", color: xsp.figureChart.seriesColor(7), recolor: () => xsp.figureChart.seriesColor(7) },
  ]);
  const walk = xsp.figureWalk(frame, points);
  xsp.figurePointer(frame, points);
  frame.redraw(draw);
  draw();
  return { chart: () => chart };
};
