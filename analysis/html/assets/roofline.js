// A roofline to work with: xsp.roofline.attach(element, figure), figure of kind "roofline" (analysis/figures).
//
// What is shown stands in data attributes of the element, for tests and scripts: data-shown (points), data-of (all),
// data-time (ms of the shown ones), data-share, data-type, data-isolated (groups of the legend), data-marked (rows),
// data-outside (points that are shown, but beyond the axes).
xsp.roofline = (function () {
  const kHeight = 420;
  const kReach = 10; // pixels around a point that are still the point
  const kMostZoom = 60; // decades

  function viewOf(figure) {
    const { points, groups } = xsp.rooflinePoints.of(figure);
    const roofs = figure.roofs.map((roof, number) => ({ ...roof, number, letter: String.fromCharCode(65 + (number % 26)) }));
    return {
      all: points,
      groups,
      allRoofs: roofs,
      types: [...new Set(points.map((point) => point.roof).filter(Boolean))],
      paths: figure.paths || [],
      listed: figure.listed || [],
      share: 100,
      type: "", // all
      isolated: new Set(), // keys of groups; empty: all
      picked: new Set(), // rows, by Ctrl and click
      selected: new Set(), // rows that are part of what the page has selected
      focus: null,
      zoomed: null, // {x, y} of {min, max}; null: what holds nearly all of the time shown
      outside: [], // shown, but beyond the axes
      points, // shown
      roofs, // shown
      radius: () => 0,
      shows(group) {
        return this.isolated.size === 0 || this.isolated.has(group.key);
      },
      isMarked(point) {
        return this.picked.has(point.row) || this.selected.has(point.row);
      },
    };
  }

  function attach(element, figure) {
    const frame = xsp.figureFrame(element, figure, { height: kHeight });
    const view = viewOf(figure);
    const card = xsp.rooflineCard(figure);
    const drawn = view.all.reduce((sum, point) => sum + point.size, 0);
    let controls;
    let walk;

    const datasets = view.groups.map(() => ({ data: [], pointRadius: [], borderWidth: 1, hoverRadius: 0 }));
    const axes = { x: xsp.figureChart.scale(figure.x), y: xsp.figureChart.scale(figure.y[0]) };
    const bare = { ...figure, regions: [], marks: [] };
    const actions = { share, type, isolate, pick, point, zoom, fitAll, reset };
    controls = xsp.rooflineControls(frame, view, actions);
    const chart = xsp.figureChart.create(
      frame,
      {
        type: "scatter",
        data: { datasets },
        options: { parsing: false, normalized: true, clip: 0, scales: axes, layout: { padding: { right: 20 } } },
        plugins: [xsp.rooflineRoofs(view)],
      },
      bare,
    );

    function color() {
      view.groups.forEach((group, i) => {
        datasets[i].backgroundColor = xsp.rooflineMarks.fill(group);
        datasets[i].borderColor = xsp.rooflineMarks.color(group);
        datasets[i].pointStyle = xsp.rooflineMarks.shape(group);
      });
      for (const [name, axis] of [["x", figure.x], ["y", figure.y[0]]]) {
        xsp.figureChart.merge(chart.options.scales[name], xsp.figureChart.scale(axis));
      }
    }

    // The heaviest of what the data type and the legend leave.
    function choose() {
      const ofType = view.all.filter((each) => view.type === "" || each.roof === view.type);
      const left = ofType.filter((each) => view.shows(each.group));
      view.points = xsp.rooflinePoints.heaviest(left, view.share);
      view.roofs = view.allRoofs.filter((roof) => view.type === "" || roof.name === view.type);
      view.focus = null;
    }

    function fill() {
      const largest = view.all.length > 0 ? view.all[0].size : 0;
      view.radius = xsp.rooflineMarks.radiusOf(largest, frame.box.clientWidth || 600);
      datasets.forEach((dataset, i) => {
        const points = view.points.filter((each) => each.group === view.groups[i]);
        dataset.data = points;
        dataset.pointRadius = points.map(view.radius);
        dataset.pointHoverRadius = 0;
      });
    }

    function update() {
      const { bulk, isWithin, range: rangeOf } = xsp.rooflinePoints;
      const range = view.zoomed || rangeOf(bulk(view.points), view.roofs);
      view.outside = view.points.filter((each) => !isWithin(each, range));
      for (const axis of ["x", "y"]) Object.assign(chart.options.scales[axis], range[axis]);
      fill();
      chart.update("none");
      controls.update();
      tell();
    }

    function tell() {
      const time = view.points.reduce((sum, each) => sum + each.size, 0);
      Object.assign(element.dataset, {
        shown: String(view.points.length),
        of: String(view.all.length),
        time: String(time),
        share: String(view.share),
        type: view.type,
        isolated: [...view.isolated].join(" "),
        outside: String(view.outside.length),
        marked: view.points.filter((each) => view.isMarked(each)).map((each) => each.row).join(" "),
      });
      const left = view.all.length - view.points.length;
      const beyond = view.outside.reduce((sum, each) => sum + each.size, 0);
      const notes = [];
      if (left > 0) notes.push(`Hidden: ${left} ${left === 1 ? "point" : "points"} with ${percent(drawn - time)} of the time of those drawn.`);
      if (view.outside.length > 0) {
        notes.push(`Outside the axes: ${view.outside.length} ${view.outside.length === 1 ? "point" : "points"} with ${percent(beyond)} of the time; click All to see them.`);
      }
      frame.setNote(notes.join(" "));
    }

    const percent = (part) => `${xsp.figureText.number(drawn > 0 ? Number(((100 * part) / drawn).toPrecision(2)) : 0)} %`;

    function chosen() {
      choose();
      if (walk) walk.reset();
      update();
    }

    function share(percent) {
      view.share = percent;
      chosen();
    }
    function type(name) {
      view.type = name;
      chosen();
    }
    function isolate(key, several) {
      const alone = view.isolated.size === 1 && view.isolated.has(key);
      if (several) view.isolated.has(key) ? view.isolated.delete(key) : view.isolated.add(key);
      else view.isolated = new Set(alone ? [] : [key]);
      if (view.isolated.size === view.groups.length) view.isolated.clear();
      chosen();
    }
    // A click selects in the page; with Ctrl it marks one more here.
    function pick(row, several) {
      if (several) {
        view.picked.has(row) ? view.picked.delete(row) : view.picked.add(row);
      } else {
        view.picked.clear();
        xsp.facets.toggleRow(figure.table, row, element);
      }
      redraw();
    }
    function point(row) {
      view.focus = row === null ? null : view.points.find((each) => each.row === row) || null;
      chart.draw();
    }
    function redraw() {
      chart.draw();
      controls.update();
      tell();
    }
    function reset() {
      Object.assign(view, { share: 100, type: "", zoomed: null });
      view.isolated.clear();
      view.picked.clear();
      chosen();
    }

    function fitAll() {
      view.zoomed = xsp.rooflinePoints.range(view.points, view.roofs);
      update();
    }

    // By a factor around a place, in pixels; without one around the middle. Bounds of logarithmic axes.
    function zoom(factor, place) {
      const zoomed = {};
      for (const name of ["x", "y"]) {
        const scale = chart.scales[name];
        const [from, to] = [Math.log10(scale.min), Math.log10(scale.max)];
        const middle = place ? Math.log10(scale.getValueForPixel(place[name])) : (from + to) / 2;
        const span = Math.min(kMostZoom, (to - from) * factor);
        const start = middle - ((middle - from) / (to - from)) * span;
        zoomed[name] = { min: 10 ** start, max: 10 ** (start + span) };
      }
      view.zoomed = zoomed;
      update();
    }

    function pan(dx, dy) {
      const moved = (scale, pixels, length) => {
        const decades = (pixels / length) * Math.log10(scale.max / scale.min);
        return { min: scale.min * 10 ** decades, max: scale.max * 10 ** decades };
      };
      const { x, y } = chart.scales;
      view.zoomed = { x: moved(x, -dx, x.width), y: moved(y, dy, y.height) };
      update();
    }

    const pixelOf = (each) => ({ x: chart.scales.x.getPixelForValue(each.x), y: chart.scales.y.getPixelForValue(each.y) });

    // The smallest point under a place, else the nearest within reach.
    function pointAt(x, y) {
      let found = null;
      let best = Infinity;
      for (const each of view.points) {
        const at = pixelOf(each);
        const away = Math.hypot(at.x - x, at.y - y);
        const radius = view.radius(each);
        const rank = away <= radius ? radius : kReach * 100 + away;
        if ((away <= radius || away - radius <= kReach) && rank < best) {
          best = rank;
          found = each;
        }
      }
      return found;
    }

    function hover(x, y) {
      const found = pointAt(x, y);
      frame.canvas.style.cursor = found === null ? "" : "pointer";
      if (found === null) frame.card.hide();
      else frame.card.show(x, y, card.lines(found));
      if (view.focus === found) return;
      view.focus = found;
      chart.draw();
    }

    xsp.rooflinePointer(frame, { hover, pan, zoom, leave: () => hover(-1e6, -1e6), click(x, y, several) {
      const found = pointAt(x, y);
      if (found !== null) pick(found.row, several);
      else if (!several) xsp.selection.clear(element);
    } });

    walk = xsp.figureWalk(frame, {
      count: () => view.points.length,
      show(i) {
        view.focus = i < 0 ? null : view.points[i];
        if (view.outside.includes(view.focus)) fitAll();
        chart.draw();
        return i < 0 ? undefined : pixelOf(view.points[i]);
      },
      lines: (i) => card.lines(view.points[i]),
      select: (i) => pick(view.points[i].row, false),
    });

    function follow() {
      const table = xsp.tables === undefined ? undefined : xsp.tables.of(figure.table);
      view.selected = new Set();
      if (table !== undefined && !xsp.selection.isEmpty()) {
        for (const place of xsp.facets.placesHeld(table)) view.selected.add(table.numberOf(place));
      }
      redraw();
    }

    xsp.selection.listen(follow);
    frame.redraw(() => {
      color();
      update();
    });
    color();
    choose();
    update();
    follow();
    return { view, chart };
  }

  return { attach };
})();
