// Horizontal bars by name (A2, A5 to A7, A10, C2, L1, M1), with intervals where the table has them, and with the
// cumulative share where it is a Pareto.
xsp.barFigure = function (element, figure) {
  const kRow = 22;
  const bars = figure.series[0];
  const share = figure.series.find((series) => series.unit !== figure.x.unit);
  const frame = xsp.figureFrame(element, figure, { height: bars.x.length * kRow + (share ? 90 : 60) });
  const { number, quantity, shown: clean, shortened } = xsp.figureText;
  const selection = xsp.figureSelection(figure, () => draw());
  const hasIntervals = bars.low !== undefined;
  // Of the bars and of their intervals.
  const reached = bars.x.concat(hasIntervals ? bars.low.concat(bars.high).filter((value) => value !== null) : []);
  const least = Math.min(0, ...reached);
  const most = Math.max(...reached);
  let chart = null;
  let shown = -1;
  let logarithmic = false;

  const positive = bars.x.every((value) => value > 0);
  if (positive && Math.max(...bars.x) > 50 * Math.min(...bars.x)) {
    frame.toggle("Log", "Logarithmic or linear values", false, (on) => {
      logarithmic = on;
      draw();
    });
  }

  // Values behind the bars, intervals on them, and a band behind the one in focus.
  const texts = {
    id: "xspBarTexts",
    beforeDatasetsDraw(drawn) {
      if (shown < 0) return;
      const y = drawn.scales.y.getPixelForValue(shown);
      const high = drawn.chartArea.height / bars.x.length;
      drawn.ctx.fillStyle = xsp.theme.color("--xsp-select");
      drawn.ctx.fillRect(drawn.chartArea.left, y - high / 2, drawn.chartArea.width, high);
    },
    afterDatasetsDraw(drawn) {
      const { ctx, scales } = drawn;
      ctx.save();
      ctx.font = `11px ${xsp.figureChart.font.family}`;
      ctx.textBaseline = "middle";
      ctx.textAlign = "left";
      bars.x.forEach((value, i) => {
        const y = scales.y.getPixelForValue(i);
        let end = Math.max(scales.x.getPixelForValue(value), scales.x.getPixelForValue(logarithmic ? scales.x.min : 0));
        if (hasIntervals && bars.low[i] !== null) {
          const low = scales.x.getPixelForValue(bars.low[i]);
          const high = scales.x.getPixelForValue(bars.high[i]);
          end = Math.max(end, high);
          ctx.strokeStyle = xsp.theme.color("--xsp-ink");
          ctx.beginPath();
          ctx.moveTo(low, y);
          ctx.lineTo(high, y);
          for (const x of [low, high]) {
            ctx.moveTo(x, y - 4);
            ctx.lineTo(x, y + 4);
          }
          ctx.stroke();
        }
        ctx.fillStyle = xsp.theme.color("--xsp-quiet");
        const text = quantity(value, bars.unit);
        const left = Math.min(end + 5, drawn.width - ctx.measureText(text).width - 2);
        ctx.strokeStyle = xsp.theme.color("--xsp-paper");
        ctx.lineWidth = 3;
        ctx.strokeText(text, left, y);
        ctx.lineWidth = 1;
        ctx.fillText(text, left, y);
      });
      ctx.restore();
    },
  };

  function datasets() {
    const color = xsp.figureChart.seriesColor(0);
    const made = [
      {
        type: "bar",
        label: bars.name,
        data: bars.x,
        backgroundColor: bars.row.map((row) => (selection.dims(row) || row === null ? xsp.figureChart.dimmed(color) : color)),
        barPercentage: 0.85,
        categoryPercentage: 0.9,
        order: 2,
      },
    ];
    if (share) {
      const line = xsp.figureChart.seriesColor(1);
      made.push({
        type: "line",
        label: share.name,
        data: share.x.map((x, i) => ({ x, y: i })),
        parsing: false,
        xAxisID: "share",
        borderColor: line,
        backgroundColor: line,
        borderWidth: 2,
        pointRadius: 3,
        order: 1,
      });
    }
    return made;
  }

  function draw() {
    const wide = frame.box.clientWidth;
    const letters = Math.max(8, Math.floor((wide * 0.38) / 6.6));
    if (chart !== null) chart.destroy();
    const scales = {
      x: xsp.figureChart.scale(logarithmic ? { ...figure.x, scale: "log10" } : figure.x, {
        grace: "18%",
        suggestedMin: logarithmic ? undefined : least,
        suggestedMax: most,
        ticks: { maxTicksLimit: Math.max(3, Math.floor(wide / 120)) },
      }),
      y: {
        type: "category",
        labels: bars.x.map((_, i) => shortened(clean(figure.labels[i] || "(no name)"), letters)),
        grid: { display: false, borderColor: xsp.theme.color("--xsp-quiet") },
        ticks: { autoSkip: false, color: xsp.theme.color("--xsp-ink"), font: xsp.figureChart.font },
      },
    };
    if (share) {
      scales.share = xsp.figureChart.scale(
        { label: share.name, unit: "%", scale: "linear" },
        { position: "top", axis: "x", min: 0, max: 100, grid: { drawOnChartArea: false }, ticks: { maxTicksLimit: 6 } },
      );
    }
    chart = xsp.figureChart.create(
      frame,
      { type: "bar", data: { labels: scales.y.labels, datasets: datasets() }, options: { indexAxis: "y", scales, onResize: resized }, plugins: [texts] },
      figure,
    );
  }

  let width = 0;
  function resized(resizedChart, size) {
    if (width !== 0 && Math.abs(size.width - width) > 1) requestAnimationFrame(draw);
    width = size.width;
  }

  const points = {
    count: () => bars.x.length,
    show(at) {
      shown = at;
      chart.draw();
      if (at < 0) return null;
      return { x: Math.min(chart.chartArea.right, chart.scales.x.getPixelForValue(bars.x[at])), y: chart.scales.y.getPixelForValue(at) };
    },
    lines(at) {
      const lines = [figure.labels[at] || "(no name)", [bars.name, quantity(bars.x[at], bars.unit)]];
      if (hasIntervals && bars.low[at] !== null) {
        lines.push(["95 % confidence interval", `${number(bars.low[at])} to ${quantity(bars.high[at], bars.unit)}`]);
      }
      if (share) lines.push([share.name, `${number(share.x[at])} %`]);
      return lines;
    },
    select: (at) => selection.toggle(bars.row[at]),
    pick(x, y) {
      const area = chart.chartArea;
      if (y < area.top || y > area.bottom || x > area.right) return -1;
      return Math.min(bars.x.length - 1, Math.floor(((y - area.top) / area.height) * bars.x.length));
    },
  };
  if (share) {
    frame.legend([
      { name: bars.name, color: xsp.figureChart.seriesColor(0), recolor: () => xsp.figureChart.seriesColor(0) },
      { name: share.name, color: xsp.figureChart.seriesColor(1), recolor: () => xsp.figureChart.seriesColor(1), shape: "line" },
    ]);
  }
  xsp.figureWalk(frame, points);
  xsp.figurePointer(frame, points);
  frame.redraw(draw);
  draw();
  return { chart: () => chart };
};
