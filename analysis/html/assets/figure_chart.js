// What the figures made with Chart.js have alike: no animation, our own card and legend, axes in the page's colours,
// shaded stretches of the x axis and vertical marks.
xsp.figureChart = (function () {
  const kFont = { family: "system-ui, sans-serif", size: 12 };
  const kMarkHeight = 16;
  const color = (name) => xsp.theme.color(name);
  const scaleTypes = { linear: "linear", log2: "logarithmic", log10: "logarithmic", category: "linear" };

  const label = (axis) => (axis.unit ? `${axis.label} (${axis.unit})` : axis.label);

  // Logarithmic ticks: powers of ten, and of a short span 2 and 5 between them.
  function logTick(value, index, ticks) {
    const first = ticks[0].value;
    const last = ticks[ticks.length - 1].value;
    const digit = value / 10 ** Math.floor(Math.log10(value) + 1e-9);
    const short = last / first < 1e3;
    const near = (to) => Math.abs(digit - to) < 1e-6;
    return near(1) || (short && (near(2) || near(5))) ? xsp.figureText.number(value) : null;
  }

  // Options of a scale of Chart.js for an axis of a figure.
  function scale(axis, more) {
    const made = {
      type: scaleTypes[axis.scale] || "linear",
      title: { display: axis.label !== "", text: label(axis), color: color("--xsp-quiet"), font: kFont },
      grid: { color: color("--xsp-line"), borderColor: color("--xsp-quiet"), tickLength: 4 },
      ticks: { color: color("--xsp-quiet"), font: kFont, maxRotation: 0, autoSkipPadding: 12 },
    };
    if (made.type === "logarithmic") made.ticks.callback = logTick;
    else made.ticks.callback = (value) => xsp.figureText.number(value);
    if (axis.unit === "") made.ticks.precision = 0; // what is counted is whole
    return mergeInto(made, more || {});
  }

  function mergeInto(to, from) {
    for (const key of Object.keys(from)) {
      const value = from[key];
      const both = value !== null && typeof value === "object" && !Array.isArray(value) && typeof to[key] === "object";
      if (both) mergeInto(to[key], value);
      else to[key] = value;
    }
    return to;
  }

  // One of several panels above one another. Room above its highest value, and no tick where the panel above begins.
  function stackPanel(made, panel) {
    const callback = made.ticks.callback;
    made.stack = "panels";
    made.weight = -panel;
    made.grace = "12%";
    made.ticks.callback = (value, index, ticks) => {
      const last = panel > 0 && index === ticks.length - 1 && ticks.length > 2;
      return last ? null : callback(value, index, ticks);
    };
  }

  // Stretches of the x axis: every other one is shaded, all are named at the top.
  const regions = {
    id: "xspRegions",
    beforeDatasetsDraw(chart, args, options) {
      const x = chart.scales.x;
      const { ctx, chartArea } = chart;
      ctx.save();
      (options.regions || []).forEach((region, i) => {
        const from = Math.max(chartArea.left, x.getPixelForValue(region.from));
        const to = Math.min(chartArea.right, x.getPixelForValue(region.to));
        if (to <= from) return;
        if (i % 2 === 0) {
          ctx.fillStyle = color("--xsp-hover");
          ctx.fillRect(from, chartArea.top, to - from, chartArea.bottom - chartArea.top);
        }
        ctx.font = `12px ${kFont.family}`;
        ctx.fillStyle = color("--xsp-quiet");
        ctx.textAlign = "center";
        ctx.textBaseline = "bottom";
        if (ctx.measureText(region.name).width < to - from) ctx.fillText(region.name, (from + to) / 2, chartArea.top - 3);
      });
      ctx.restore();
    },
  };

  // Vertical lines with their names above the plot, each below the one before it.
  const marks = {
    id: "xspMarks",
    afterDatasetsDraw(chart, args, options) {
      const { ctx, chartArea } = chart;
      ctx.save();
      ctx.font = `12px ${kFont.family}`;
      ctx.textBaseline = "top";
      const all = options.marks || [];
      all.forEach((mark, i) => {
        const x = chart.scales.x.getPixelForValue(mark.x);
        if (!(x >= chartArea.left - 1 && x <= chartArea.right + 1)) return;
        ctx.strokeStyle = color("--xsp-select-edge");
        ctx.setLineDash([5, 4]);
        ctx.beginPath();
        ctx.moveTo(x, chartArea.top);
        ctx.lineTo(x, chartArea.bottom);
        ctx.stroke();
        const name = xsp.figureText.shown(mark.name);
        ctx.textAlign = x > (chartArea.left + chartArea.right) / 2 ? "right" : "left";
        ctx.fillStyle = color("--xsp-ink");
        ctx.fillText(name, x, chartArea.top - kMarkHeight * (all.length - i));
      });
      ctx.restore();
    },
  };

  return {
    color,
    font: kFont,
    label,
    marksHeight: (figure) => kMarkHeight * figure.marks.length,
    scale,
    merge: mergeInto,
    stackPanel,
    // A colour of the page, pale; alpha: two hexadecimal digits.
    dimmed: (hex, alpha = "48") => (/^#[0-9a-f]{6}$/i.test(hex) ? hex + alpha : hex),
    seriesColor: (i) => color(`--xsp-c${(i % 8) + 1}`),
    // `config`: of Chart.js; regions and marks as the figure has them.
    create(frame, config, figure) {
      const base = {
        animation: false,
        responsive: true,
        maintainAspectRatio: false,
        events: [], // the frame's owner listens to the canvas
        layout: { padding: { top: figure.regions && figure.regions.length > 0 ? 18 : 6, right: 10 } },
        plugins: {
          legend: { display: false },
          tooltip: { enabled: false },
          xspRegions: { regions: figure.regions || [] },
          xspMarks: { marks: figure.marks || [] },
        },
      };
      config.options = mergeInto(base, config.options || {});
      config.plugins = [regions, marks].concat(config.plugins || []);
      return new Chart(frame.canvas, config);
    },
  };
})();
