// Values in order of execution (A3, A4, A8, A11, A12, D2), panels one above the other over the same x axis, and parts of a
// whole (A13). Drag to see a range of it.
xsp.columnFigure = function (element, figure) {
  const stacked = figure.kind === "stacked";
  const frame = xsp.figureFrame(element, figure, { height: figure.y.length > 1 ? 130 * figure.y.length + 70 : 300 });
  const { number, quantity } = xsp.figureText;
  let chart = null;
  let bins = null;
  let shown = -1; // place in bins.filled under the pointer or in focus
  let percent = stacked;
  let logarithmic = false;
  const panelAxis = (panel) => `y${panel}`;

  function extent() {
    let low = Infinity;
    let high = -Infinity;
    for (const series of figure.series) {
      for (const x of series.x) {
        low = Math.min(low, x - 0.5);
        high = Math.max(high, x + 0.5);
      }
    }
    return [low, high];
  }

  const selection = xsp.figureSelection(figure, () => recolor());
  const zoom = xsp.figureZoom(frame, {
    full: extent(),
    least: 4,
    valueAt: (pixel) => chart.scales.x.getValueForPixel(pixel),
    middle: () => {
      const [low, high] = zoom.range();
      return shown < 0 ? (low + high) / 2 : bins.center(bins.filled[shown]);
    },
    changed: () => {
      shown = -1;
      draw();
      walk.reset();
      const [low, high] = zoom.range();
      frame.say(`${figure.x.label}s ${Math.ceil(low)} to ${Math.floor(high)}`);
    },
  });

  function whole(bin) {
    return bins.columns.reduce((sum, column) => sum + (Number.isNaN(column.value[bin]) ? 0 : column.value[bin]), 0);
  }

  function valueOf(series, bin) {
    const value = bins.columns[series].value[bin];
    if (!percent) return value;
    const all = whole(bin);
    return all > 0 ? (value / all) * 100 : 0;
  }

  function colors(series) {
    const color = xsp.figureChart.seriesColor(stacked ? series : figure.series[series].panel);
    const dim = xsp.figureChart.dimmed(color);
    return bins.filled.map((bin) => (dims(bin) ? dim : color));
  }

  // A column of several places is part of the selection when any of them is.
  function dims(bin) {
    if (bins.width === 1) return bins.columns.every((c) => c.row[bin] === null || selection.dims(c.row[bin]));
    return dimmedBins !== null && !dimmedBins.has(bin);
  }

  let dimmedBins = null; // those that are not dimmed; null: nothing is selected here
  function lookForSelected() {
    dimmedBins = null;
    for (const series of figure.series) {
      for (let i = 0; i < series.row.length; ++i) {
        if (!selection.holds(series.row[i])) continue;
        if (dimmedBins === null) dimmedBins = new Set();
        dimmedBins.add(bins.binAt(series.x[i]));
      }
    }
  }

  function recolor() {
    if (chart === null) return;
    lookForSelected();
    chart.data.datasets.forEach((dataset, i) => {
      dataset.backgroundColor = colors(i);
    });
    chart.update("none");
  }

  // Behind the column in focus.
  const focus = {
    id: "xspFocus",
    beforeDatasetsDraw(drawn) {
      if (shown < 0) return;
      const x = drawn.scales.x;
      const bin = bins.filled[shown];
      const from = x.getPixelForValue(bins.center(bin) - bins.width / 2);
      const to = x.getPixelForValue(bins.center(bin) + bins.width / 2);
      const wide = Math.max(3, to - from);
      drawn.ctx.fillStyle = xsp.theme.color("--xsp-select");
      drawn.ctx.fillRect((from + to - wide) / 2, drawn.chartArea.top, wide, drawn.chartArea.height);
    },
  };

  // There is no layer 2.5.
  function wholeTicks(low, high) {
    const rough = (high - low) / Math.max(2, Math.floor(frame.box.clientWidth / 90));
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max(1, Math.round(power * [1, 2, 5, 10].find((digit) => digit * power >= rough)));
    const ticks = [];
    for (let value = Math.ceil(low / step) * step; value <= high; value += step) ticks.push({ value });
    return ticks;
  }

  function scales() {
    const { low, high } = bins; // whole columns
    const made = {
      x: xsp.figureChart.scale(figure.x, {
        min: low,
        max: high,
        offset: false,
        grid: { display: false },
        afterBuildTicks: (axis) => {
          axis.ticks = wholeTicks(low, high);
        },
        ticks: { callback: String },
      }),
    };
    figure.y.forEach((axis, panel) => {
      const shownAxis = percent ? { label: `share of the ${figure.x.label}`, unit: "%", scale: "linear" } : axis;
      made[panelAxis(panel)] = xsp.figureChart.scale(
        logarithmic ? { ...shownAxis, scale: "log10" } : shownAxis,
        { stacked, max: percent ? 100 : undefined },
      );
      if (figure.y.length > 1) xsp.figureChart.stackPanel(made[panelAxis(panel)], panel);
    });
    return made;
  }

  function draw() {
    const wide = frame.box.clientWidth - 80;
    const [low, high] = zoom.range();
    bins = xsp.columnBins(figure, [low, high], Math.max(20, Math.floor(wide / 2)));
    if (chart !== null) chart.destroy();
    lookForSelected();
    const thickness = Math.max(1, ((wide / (high - low)) * bins.width) * 0.85);
    chart = xsp.figureChart.create(
      frame,
      {
        type: "bar",
        data: {
          datasets: figure.series.map((series, i) => ({
            label: series.name,
            yAxisID: panelAxis(series.panel),
            data: bins.filled.map((bin) => ({ x: bins.center(bin), y: valueOf(i, bin) })),
            backgroundColor: colors(i),
            barThickness: thickness,
            grouped: false,
            stack: stacked ? "whole" : undefined,
          })),
        },
        options: { parsing: false, scales: scales(), onResize: resized },
        plugins: [focus],
      },
      figure,
    );
    frame.setNote(bins.width === 1 ? "" : `Each column shows ${stacked ? "the sum" : "the largest"} of ${bins.width} consecutive ${figure.x.label}s.`);
  }

  let width = 0;
  function resized(resizedChart, size) {
    if (width !== 0 && Math.abs(size.width - width) > 1) requestAnimationFrame(draw);
    width = size.width;
  }

  function linesOf(at) {
    const bin = bins.filled[at];
    const first = bins.first(bin);
    const last = bins.last(bin);
    const row = bins.columns.map((column) => column.row[bin]).find((found) => found !== null);
    const lines = figure.labels.length === 0 ? [] : [figure.labels[row] || "(no name)"];
    lines.push(first === last ? [figure.x.label, String(first)] : [`${figure.x.label}s`, `${first} to ${last}`]);
    figure.series.forEach((series, i) => {
      const value = bins.columns[i].value[bin];
      if (Number.isNaN(value)) return;
      const share = stacked && whole(bin) > 0 ? ` (${number((value / whole(bin)) * 100)} %)` : "";
      const largest = first === last || stacked ? "" : ", largest";
      lines.push([series.name + largest, quantity(value, series.unit) + share]);
    });
    const region = figure.regions.find((stage) => bins.center(bin) >= stage.from && bins.center(bin) < stage.to);
    if (region !== undefined) lines.push(["stage", region.name]);
    return lines;
  }

  const points = {
    count: () => bins.filled.length,
    show(at) {
      shown = at;
      chart.draw();
      if (at < 0) return null;
      return { x: chart.scales.x.getPixelForValue(bins.center(bins.filled[at])), y: chart.chartArea.top + 10 };
    },
    lines: linesOf,
    select(at, y) {
      const bin = bins.filled[at];
      const panel = figure.y.findIndex((_, i) => {
        const scale = chart.scales[panelAxis(i)];
        return y !== undefined && y >= scale.top && y <= scale.bottom;
      });
      const own = figure.series.findIndex((series, i) => series.panel === panel && bins.columns[i].row[bin] !== null);
      const row = own >= 0 ? bins.columns[own].row[bin] : bins.columns.map((c) => c.row[bin]).find((r) => r !== null);
      selection.toggle(row);
    },
    pick(x, y) {
      const area = chart.chartArea;
      if (x < area.left || x > area.right || y < area.top || y > area.bottom || bins.filled.length === 0) return -1;
      const bin = bins.binAt(chart.scales.x.getValueForPixel(x));
      const at = bins.filled.indexOf(bin);
      return at;
    },
  };

  if (stacked) {
    frame.toggle("100 %", "Each layer as a whole, or its time", true, (on) => {
      percent = on;
      draw();
    });
  } else {
    frame.toggle("Log", "Logarithmic or linear values", false, (on) => {
      logarithmic = on;
      draw();
    });
  }
  const names = () => (stacked ? figure.series.map((series, i) => ({ name: series.name, color: xsp.figureChart.seriesColor(i), recolor: () => xsp.figureChart.seriesColor(i) })) : []);
  frame.legend(names());
  const walk = xsp.figureWalk(frame, points);
  xsp.figurePointer(frame, points);
  frame.redraw(draw);
  draw();
  return { chart: () => chart, zoom };
};
