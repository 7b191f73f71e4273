// What of a timeline is in sight, and its pictures: the lanes, the axis of time above them, and the launches of what is
// selected. One canvas, as large as what is seen of it.
xsp.timelineView = function (model, layout, marks, paint, canvas, changed) {
  const kAxis = 22;
  const kLeastNs = 20; // in sight
  const context = canvas.getContext("2d");
  let begin = 0;
  let end = layout.length();
  let scroll = 0;
  let width = 1;
  let height = 1;
  let measured = null; // {begin, end}: what is measured
  let chosen = null; // likewise: what the page's selection is of, where that is a stretch of time
  let focused = -1; // the slice under the pointer
  let requested = false;
  let frame = 0; // ms that the last one took
  let frames = 0;

  const view = {
    begin: () => begin,
    end: () => end,
    width: () => width,
    height: () => height,
    scroll: () => scroll,
    axis: kAxis,
    frame: () => ({ ms: frame, count: frames }),
    xOf: (time) => ((time - begin) / (end - begin)) * width,
    timeOf: (x) => begin + (x / width) * (end - begin),
    measured: () => measured,
    room: () => Math.max(layout.height() - (height - kAxis), 0),

    // A range that stays inside of the part and is not too short to be drawn.
    show(newBegin, newEnd) {
      const length = layout.length();
      const span = Math.min(Math.max(newEnd - newBegin, Math.min(kLeastNs, length)), length);
      begin = Math.min(Math.max((newBegin + newEnd - span) / 2, 0), length - span);
      end = begin + span;
      view.draw();
    },
    zoom(factor, x) {
      const time = view.timeOf(x === undefined ? width / 2 : x);
      const span = Math.min((end - begin) * factor, layout.length());
      const share = (time - begin) / (end - begin);
      view.show(time - share * span, time + (1 - share) * span);
    },
    pan(pixels) {
      const time = (pixels / width) * (end - begin);
      view.show(begin + time, end + time);
    },
    scrollTo(y) {
      scroll = Math.min(Math.max(y, 0), view.room());
      view.draw();
    },
    // Around some times, with a margin.
    fit(from, to) {
      const margin = Math.max((to - from) * 0.08, 1);
      view.show(from - margin, to + margin);
    },
    // Brings a slice into sight without a change of scale, where that shows it.
    reveal(slice) {
      const place = layout.reveal(slice);
      const inSight = height - kAxis;
      if (place.y < scroll) scroll = Math.max(place.y - 20, 0);
      if (place.y + place.height > scroll + inSight) scroll = Math.min(place.y + place.height - inSight + 20, view.room());
      const from = model.begin[slice];
      const to = model.end[slice];
      const span = end - begin;
      if (to - from > span) view.fit(from, to);
      else if (from < begin || to > end) view.show((from + to - span) / 2, (from + to + span) / 2);
      else view.show(begin, end); // its part may be a shorter one
    },
    measure(range) {
      measured = range;
      view.draw();
    },
    choose(range) {
      chosen = range;
      view.draw();
    },
    focus(slice) {
      if (focused === slice) return;
      focused = slice;
      view.draw();
    },
    resize(newWidth, newHeight) {
      width = Math.max(newWidth, 50);
      height = Math.max(newHeight, 80);
      const ratio = window.devicePixelRatio || 1;
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.height = `${height}px`;
      scroll = Math.min(scroll, view.room());
      view.draw();
    },
    // At the next frame, however often it is asked for.
    draw() {
      if (requested) return;
      requested = true;
      requestAnimationFrame(() => {
        requested = false;
        view.drawNow();
        changed();
      });
    },
    drawNow() {
      const start = performance.now();
      const ratio = window.devicePixelRatio || 1;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.fillStyle = xsp.theme.color("--xsp-paper");
      context.fillRect(0, 0, width, height);
      paint.prepare(context);
      drawAxis();
      context.save();
      context.beginPath();
      context.rect(0, kAxis, width, height - kAxis);
      context.clip();
      context.translate(0, kAxis - scroll);
      drawLanes();
      drawOutline(marks.selected(), 2);
      drawOutline(focused, 1);
      drawArrows();
      context.restore();
      if (chosen !== null) drawRange(chosen, "--xsp-select-edge", "--xsp-paper");
      if (measured !== null) drawRange(measured, "--xsp-accent", "--xsp-on-accent");
      frame = performance.now() - start;
      ++frames;
    },
  };

  function drawLanes() {
    const marked = marks.marked();
    for (const item of layout.within(scroll, scroll + height - kAxis)) {
      context.fillStyle = xsp.theme.color("--xsp-line");
      if (!item.lane) {
        context.fillStyle = xsp.theme.color("--xsp-raised");
        context.fillRect(0, item.y, width, item.height - 1);
        continue;
      }
      context.globalAlpha = 0.5;
      context.fillRect(0, item.y + item.height - 3, width, 1);
      context.globalAlpha = marked.length > 0 ? 0.3 : 1;
      paint.shade(context, view, item.lane, item.y, item.rows * item.rowHeight - 1);
      for (let row = 0; row < Math.min(item.rows, item.lane.rows.length); ++row) {
        const own = item.lane.rows[row];
        const y = item.y + row * item.rowHeight;
        context.globalAlpha = marked.length > 0 ? 0.22 : 1;
        paint.row(context, view, null, own.first, own.end, y, item.rowHeight - 1);
        context.globalAlpha = 1;
        if (marked.length > 0) {
          const [first, last] = markedOf(marked, own);
          paint.row(context, view, marked, first, last, y, item.rowHeight - 1);
        }
      }
    }
    context.globalAlpha = 1;
  }

  // Where the marked slices of a row stand among all marked ones.
  function markedOf(marked, row) {
    const lower = (value) => {
      let low = 0;
      let high = marked.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (marked[middle] < value) low = middle + 1;
        else high = middle;
      }
      return low;
    };
    return [lower(row.first), lower(row.end)];
  }

  function drawOutline(slice, lineWidth) {
    const place = slice < 0 ? null : layout.place(slice);
    if (place === null) return;
    const x = Math.max(view.xOf(model.begin[slice]), -3);
    const right = Math.min(view.xOf(model.end[slice]), width + 3);
    if (right < -2 || x > width + 2) return;
    context.strokeStyle = xsp.theme.color("--xsp-ink");
    context.lineWidth = lineWidth;
    context.strokeRect(x - 0.5, place.y - 0.5, Math.max(right - x, 2), place.height + 1);
    context.lineWidth = 1;
  }

  function drawArrows() {
    context.strokeStyle = xsp.theme.color("--xsp-select-edge");
    context.fillStyle = context.strokeStyle;
    for (const [launch, kernel] of marks.arrows()) {
      const from = layout.place(launch);
      const to = layout.place(kernel);
      if (from === null || to === null) continue;
      const x0 = view.xOf(model.end[launch]);
      const x1 = view.xOf(model.begin[kernel]);
      if (Math.max(x0, x1) < 0 || Math.min(x0, x1) > width) continue;
      const y0 = from.y + from.height;
      const y1 = to.y;
      const bend = Math.max(Math.abs(y1 - y0) * 0.45, 12);
      context.lineWidth = 1.4;
      context.beginPath();
      context.moveTo(x0, y0);
      context.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1);
      context.stroke();
      context.beginPath();
      context.moveTo(x1, y1);
      context.lineTo(x1 - 4, y1 - 7);
      context.lineTo(x1 + 4, y1 - 7);
      context.fill();
    }
    context.lineWidth = 1;
  }

  function drawAxis() {
    context.fillStyle = xsp.theme.color("--xsp-raised");
    context.fillRect(0, 0, width, kAxis);
    const most = Math.max(Math.floor(width / 95), 1);
    const raw = (end - begin) / most;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= raw) || raw;
    context.fillStyle = xsp.theme.color("--xsp-quiet");
    context.strokeStyle = xsp.theme.color("--xsp-line");
    for (let i = Math.ceil(begin / step); i * step <= end; ++i) {
      const x = Math.round(view.xOf(i * step)) + 0.5;
      context.globalAlpha = 0.7;
      context.beginPath();
      context.moveTo(x, kAxis - 6);
      context.lineTo(x, height);
      context.stroke();
      context.globalAlpha = 1;
      const text = axisText(i * step, step);
      if (x + context.measureText(text).width + 5 < width) context.fillText(text, x + 3, kAxis / 2);
    }
  }

  // With as many digits as tell one tick from the next.
  function axisText(time, step) {
    const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
    const [size, unit] = units.find(([ns]) => end - begin >= ns && step >= ns / 1000) || units[3];
    return `${(time / size).toFixed(Math.min(Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9)), 6))} ${unit}`;
  }

  function drawRange(range, color, onColor) {
    const x0 = view.xOf(Math.min(range.begin, range.end));
    const x1 = view.xOf(Math.max(range.begin, range.end));
    if (x1 < 0 || x0 > width) return;
    context.fillStyle = xsp.theme.color(color);
    context.globalAlpha = 0.14;
    context.fillRect(x0, 0, x1 - x0, height);
    context.globalAlpha = 1;
    context.fillRect(Math.round(x0), 0, 1, height);
    context.fillRect(Math.round(x1), 0, 1, height);
    const text = xsp.timelineTime(Math.abs(range.end - range.begin));
    const room = context.measureText(text).width + 10;
    const x = Math.min(Math.max((x0 + x1 - room) / 2, 0), width - room);
    context.fillRect(x, 3, room, kAxis - 6);
    context.fillStyle = xsp.theme.color(onColor);
    context.fillText(text, x + 5, kAxis / 2);
  }

  return view;
};
