// Values over a sweep: a line for each model on each system, throughput above latency, the optimal batch sizes marked (A1);
// for a model and its layers, the best numbers of threads marked (E1). A name in the legend takes its lines away.
xsp.lineFigure = function (element, figure) {
  const names = [...new Set(figure.series.map((series) => series.name))];
  const frame = xsp.figureFrame(element, figure, { height: 190 * figure.y.length + 70 + xsp.figureChart.marksHeight(figure) });
  const { number, quantity } = xsp.figureText;
  const hidden = new Set();
  const logarithmic = figure.y.map((axis) => axis.scale === "log10");
  const selection = xsp.figureSelection(figure, () => draw());
  let chart = null;
  let shown = -1;
  let all = []; // [series, point] in the order of the walk

  const colorOf = (name) => xsp.figureChart.seriesColor(names.indexOf(name));

  function list() {
    all = [];
    figure.series.forEach((series, s) => {
      if (!hidden.has(series.name)) series.y.forEach((_, i) => all.push([s, i]));
    });
  }

  const placeOf = ([s, i]) => {
    const series = figure.series[s];
    return { x: chart.scales.x.getPixelForValue(series.x[i]), y: chart.scales[`y${series.panel}`].getPixelForValue(series.y[i]) };
  };

  // Intervals, and a ring around the point in focus.
  const details = {
    id: "xspLineDetails",
    afterDatasetsDraw(drawn) {
      const { ctx } = drawn;
      ctx.save();
      ctx.strokeStyle = xsp.theme.color("--xsp-ink");
      for (const series of figure.series) {
        if (series.low === undefined || hidden.has(series.name)) continue;
        const y = drawn.scales[`y${series.panel}`];
        series.low.forEach((low, i) => {
          if (low === null || (logarithmic[series.panel] && low <= 0)) return;
          const x = drawn.scales.x.getPixelForValue(series.x[i]);
          ctx.beginPath();
          ctx.moveTo(x, y.getPixelForValue(low));
          ctx.lineTo(x, y.getPixelForValue(series.high[i]));
          ctx.stroke();
        });
      }
      if (shown >= 0 && shown < all.length) {
        const place = placeOf(all[shown]);
        ctx.lineWidth = 2;
        ctx.strokeStyle = xsp.theme.color("--xsp-select-edge");
        ctx.beginPath();
        ctx.arc(place.x, place.y, 8, 0, 2 * Math.PI);
        ctx.stroke();
      }
      ctx.restore();
    },
  };

  // The places that get a number, from left to right, so that none touches the one before it.
  function numbered(places, width) {
    const shown = new Set();
    const first = places[0];
    const length = Math.log(places[places.length - 1] / first) || 1;
    let free = -Infinity;
    for (const place of places) {
      const at = (width * Math.log(place / first)) / length;
      const half = 4 * number(place).length;
      if (at - half < free) continue;
      shown.add(place);
      free = at + half + 6;
    }
    return shown;
  }

  function scales() {
    const places = [...new Set(figure.series.flatMap((series) => series.x))].sort((a, b) => a - b);
    let shownPlaces = new Set();
    const made = {
      x: xsp.figureChart.scale(figure.x, {
        min: places[0] / 1.15,
        max: places[places.length - 1] * 1.15,
        afterBuildTicks: (axis) => {
          axis.ticks = places.map((value) => ({ value }));
          shownPlaces = numbered(places, axis.chart.width - 120);
        },
        ticks: { callback: (value) => (shownPlaces.has(value) ? number(value) : ""), autoSkip: false },
      }),
    };
    figure.y.forEach((axis, panel) => {
      made[`y${panel}`] = xsp.figureChart.scale(
        { ...axis, scale: logarithmic[panel] ? "log10" : "linear" },
        { beginAtZero: !logarithmic[panel] },
      );
      xsp.figureChart.stackPanel(made[`y${panel}`], panel);
    });
    return made;
  }

  function draw() {
    list();
    if (chart !== null) chart.destroy();
    chart = xsp.figureChart.create(
      frame,
      {
        type: "line",
        data: {
          datasets: figure.series.map((series) => {
            const color = colorOf(series.name);
            return {
              label: series.name,
              hidden: hidden.has(series.name),
              yAxisID: `y${series.panel}`,
              data: series.x.map((x, i) => ({ x, y: series.y[i] })),
              borderColor: color,
              borderWidth: 2,
              pointBackgroundColor: series.row.map((row) => (selection.dims(row) ? xsp.figureChart.dimmed(color) : color)),
              pointBorderColor: color,
              pointRadius: series.row.map((row) => (selection.holds(row) ? 7 : 4)),
              pointStyle: ["circle", "rect", "triangle", "rectRot", "cross", "star", "crossRot", "dash"][names.indexOf(series.name) % 8],
            };
          }),
        },
        options: { parsing: false, scales: scales(), layout: { padding: { top: 6 + xsp.figureChart.marksHeight(figure) } } },
        plugins: [details],
      },
      figure,
    );
  }

  const points = {
    count: () => all.length,
    show(at) {
      shown = at;
      chart.draw();
      return at < 0 ? null : placeOf(all[at]);
    },
    lines(at) {
      const [s, i] = all[at];
      const series = figure.series[s];
      const lines = [series.name, [figure.x.label, number(series.x[i])], [figure.y[series.panel].label, quantity(series.y[i], series.unit)]];
      if (series.low !== undefined && series.low[i] !== null) {
        lines.push(["95 % confidence interval", `${number(series.low[i])} to ${quantity(series.high[i], series.unit)}`]);
      }
      return lines;
    },
    select: (at) => selection.toggle(figure.series[all[at][0]].row[all[at][1]]),
    pick(x, y) {
      let best = -1;
      let least = 24 ** 2;
      all.forEach((point, at) => {
        const place = placeOf(point);
        const far = (place.x - x) ** 2 + (place.y - y) ** 2;
        if (far < least) {
          least = far;
          best = at;
        }
      });
      return best;
    },
  };

  figure.y.forEach((axis, panel) => {
    frame.toggle(`Log ${axis.label}`, "Logarithmic or linear values", logarithmic[panel], (on) => {
      logarithmic[panel] = on;
      draw();
    });
  });
  if (names.length > 1) {
    frame.legend(
      names.map((name) => ({
        name,
        color: colorOf(name),
        recolor: () => colorOf(name),
        shape: "line",
        toggle(on) {
          if (on) hidden.delete(name);
          else hidden.add(name);
          draw();
          walk.reset();
        },
      })),
    );
  }
  const walk = xsp.figureWalk(frame, points);
  xsp.figurePointer(frame, points);
  frame.redraw(draw);
  draw();
  return { chart: () => chart };
};
