// What stands behind the points: shaded regions, roofs with their ridges, the way of a model over its batch sizes; and
// before them the numbers of what is listed and rings around what is marked. A plugin of Chart.js; `view` has the roofs,
// points and marks of the moment.
xsp.rooflineRoofs = function (view) {
  const kDashes = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
  const color = xsp.figureChart.color;
  const { ridgeOf } = xsp.rooflinePoints;

  function inside(chart, draw) {
    const { ctx, chartArea } = chart;
    ctx.save();
    ctx.beginPath();
    ctx.rect(chartArea.left, chartArea.top, chartArea.width, chartArea.height);
    ctx.clip();
    draw(ctx, chartArea);
    ctx.restore();
  }

  // Left of every ridge everything is bound by memory, right of every ridge by compute; between them the type tells.
  function regions(chart) {
    if (view.roofs.length === 0) return;
    const ridges = view.roofs.map(ridgeOf);
    const x = chart.scales.x;
    const low = x.getPixelForValue(Math.min(...ridges));
    const high = x.getPixelForValue(Math.max(...ridges));
    inside(chart, (ctx, area) => {
      const shade = (from, to, name, words) => {
        const left = Math.max(area.left, from);
        const right = Math.min(area.right, to);
        if (right <= left) return;
        ctx.fillStyle = xsp.rooflineMarks.withAlpha(color(name), 0.1);
        ctx.fillRect(left, area.top, right - left, area.height);
        ctx.font = `12px ${xsp.figureChart.font.family}`;
        if (ctx.measureText(words).width > right - left - 8) return;
        ctx.fillStyle = color(name);
        ctx.textAlign = "center";
        ctx.textBaseline = "bottom";
        ctx.fillText(words, (left + right) / 2, area.bottom - 4);
      };
      shade(area.left, low, "--xsp-c1", "memory-bound");
      shade(high, area.right, "--xsp-c2", "compute-bound");
    });
  }

  function roofs(chart) {
    const { x, y } = chart.scales;
    inside(chart, (ctx, area) => {
      ctx.strokeStyle = color("--xsp-ink");
      ctx.lineWidth = 1.5;
      for (const roof of view.roofs) {
        const ridge = ridgeOf(roof);
        const start = Math.min(ridge, x.min);
        ctx.setLineDash(kDashes[roof.number % kDashes.length]);
        ctx.beginPath();
        ctx.moveTo(x.getPixelForValue(start), y.getPixelForValue((roof.peak * start) / ridge));
        ctx.lineTo(x.getPixelForValue(ridge), y.getPixelForValue(roof.peak));
        ctx.lineTo(Math.max(area.right, x.getPixelForValue(ridge)), y.getPixelForValue(roof.peak));
        ctx.stroke();
        ctx.setLineDash([]);
        ctx.fillStyle = color("--xsp-ink");
        ctx.beginPath();
        ctx.arc(x.getPixelForValue(ridge), y.getPixelForValue(roof.peak), 3, 0, 2 * Math.PI);
        ctx.fill();
      }
    });
    letters(chart);
  }

  // Beside the plot, where they are in nothing's way.
  function letters(chart) {
    const { ctx, chartArea } = chart;
    ctx.save();
    ctx.font = `12px ${xsp.figureChart.font.family}`;
    ctx.fillStyle = color("--xsp-ink");
    ctx.textBaseline = "middle";
    let below = -Infinity;
    for (const roof of view.roofs) {
      const at = chart.scales.y.getPixelForValue(roof.peak);
      if (at < chartArea.top - 1 || at > chartArea.bottom + 1) continue;
      below = Math.max(at, below + 13);
      ctx.fillText(roof.letter, chartArea.right + 5, below);
    }
    ctx.restore();
  }

  function paths(chart) {
    const places = new Map(view.points.map((point) => [point.row, point]));
    inside(chart, (ctx) => {
      ctx.strokeStyle = color("--xsp-quiet");
      ctx.setLineDash([4, 3]);
      for (const path of view.paths) {
        ctx.beginPath();
        for (const row of path) {
          const point = places.get(row);
          if (point) ctx.lineTo(chart.scales.x.getPixelForValue(point.x), chart.scales.y.getPixelForValue(point.y));
        }
        ctx.stroke();
      }
    });
  }

  function rings(chart) {
    inside(chart, (ctx) => {
      for (const point of view.points) {
        if (!view.isMarked(point) && point !== view.focus) continue;
        const x = chart.scales.x.getPixelForValue(point.x);
        const y = chart.scales.y.getPixelForValue(point.y);
        xsp.rooflineMarks.draw(ctx, point.group, x, y, view.radius(point) + 1);
        ctx.fillStyle = xsp.rooflineMarks.withAlpha(xsp.rooflineMarks.color(point.group), 0.6);
        ctx.fill();
        ctx.lineWidth = point === view.focus ? 3 : 2;
        ctx.strokeStyle = color(point === view.focus ? "--xsp-ink" : "--xsp-select-edge");
        ctx.stroke();
      }
    });
  }

  // Beside the point where another number is in the way; without any room the number is in the list alone.
  function numbers(chart) {
    const moves = [[0, 0], [0, -14], [0, 14], [16, 0], [-16, 0], [0, -28], [0, 28]];
    const taken = [];
    const places = new Map(view.points.map((point) => [point.row, point]));
    inside(chart, (ctx) => {
      ctx.font = `bold 12px ${xsp.figureChart.font.family}`;
      ctx.textAlign = "center";
      ctx.textBaseline = "middle";
      view.listed.forEach((listed, i) => {
        const point = places.get(listed.row);
        if (point === undefined) return;
        const x = chart.scales.x.getPixelForValue(point.x);
        const y = chart.scales.y.getPixelForValue(point.y);
        const isFree = ([dx, dy]) => taken.every(([a, b]) => Math.abs(a - x - dx) >= 15 || Math.abs(b - y - dy) >= 13);
        const move = moves.find(isFree);
        if (move === undefined) return;
        taken.push([x + move[0], y + move[1]]);
        ctx.lineWidth = 3;
        ctx.strokeStyle = color("--xsp-paper");
        ctx.strokeText(String(i + 1), x + move[0], y + move[1]);
        ctx.fillStyle = color("--xsp-ink");
        ctx.fillText(String(i + 1), x + move[0], y + move[1]);
      });
    });
  }

  return {
    id: "xspRoofs",
    beforeDatasetsDraw(chart) {
      regions(chart);
      roofs(chart);
      paths(chart);
    },
    afterDatasetsDraw(chart) {
      rings(chart);
      numbers(chart);
    },
  };
};
