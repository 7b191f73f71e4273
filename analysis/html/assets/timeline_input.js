// Mouse and keys on the canvas. Everything that the mouse does a key does too; the wheel belongs to the page until the
// canvas has the focus, or Ctrl is held.
xsp.timelineInput = function (model, layout, view, walk, canvas, actions) {
  const kSlack = 3; // pixels beside a slice that still mean it
  let grip = null; // while the button is down: {x, y, at, moved, scroll, measure}
  let mark = null; // time of the first x

  function place(event) {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  function sliceAt({ x, y }) {
    if (y < view.axis) return -1;
    const at = y - view.axis + view.scroll();
    const item = layout.itemAt(at);
    if (!item || !item.lane) return -1;
    const row = item.lane.rows[Math.floor((at - item.y) / item.rowHeight)];
    if (row === undefined || at - item.y >= item.rows * item.rowHeight) return -1;
    return model.sliceAt(row, view.timeOf(x), view.timeOf(kSlack) - view.timeOf(0));
  }

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const at = place(event);
    grip = { ...at, from: at, moved: false, measure: event.shiftKey };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const at = place(event);
    if (grip === null) {
      const slice = sliceAt(at);
      view.focus(slice);
      return actions.hover(slice, at);
    }
    actions.hover(-1, at);
    if (!grip.moved && Math.hypot(at.x - grip.from.x, at.y - grip.from.y) < 4) return;
    grip.moved = true;
    if (grip.measure) {
      actions.measure({ begin: view.timeOf(grip.from.x), end: view.timeOf(at.x) });
    } else {
      view.pan(grip.x - at.x);
      if (view.room() > 0) view.scrollTo(view.scroll() + grip.y - at.y);
    }
    grip.x = at.x;
    grip.y = at.y;
  });
  canvas.addEventListener("pointerup", (event) => {
    if (grip === null) return;
    const clicked = !grip.moved;
    grip = null;
    if (clicked) actions.select(sliceAt(place(event)));
  });
  canvas.addEventListener("pointercancel", () => {
    grip = null;
  });
  canvas.addEventListener("pointerleave", () => {
    view.focus(-1);
    actions.hover(-1, null);
  });
  canvas.addEventListener("dblclick", (event) => {
    const slice = sliceAt(place(event));
    if (slice >= 0) view.fit(model.begin[slice], model.end[slice]);
  });
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && document.activeElement !== canvas) return;
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 16 : 1;
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        view.pan((event.deltaX || event.deltaY) * lines);
      } else if (event.altKey) {
        view.scrollTo(view.scroll() + event.deltaY * lines);
      } else {
        view.zoom(Math.exp(Math.min(Math.max(event.deltaY * lines, -240), 240) * 0.0022), place(event).x);
      }
    },
    { passive: false },
  );

  function go(slice) {
    if (slice < 0) return;
    actions.select(slice);
    view.reveal(slice);
  }

  function walkFrom(next) {
    const selected = actions.selected();
    go(selected < 0 ? walk.start() : next(selected));
  }

  function toEvaluation(direction) {
    const selected = actions.selected();
    const edge = direction > 0 ? view.begin() - 1 : view.end();
    const from = selected >= 0 && model.evaluations.roots.includes(selected) ? model.begin[selected] : edge;
    const root = walk.evaluation(from, direction);
    if (root < 0) return actions.say("no step or call in this part of the trace");
    actions.select(root);
    view.reveal(root);
    view.fit(model.begin[root], model.end[root]);
  }

  // The first time a mark at the begin of the selected slice, the second time the time to the end of the one then.
  function measureSlices() {
    const slice = actions.selected();
    if (slice < 0) return actions.say("select a slice to measure from");
    if (mark === null) {
      mark = model.begin[slice];
      return actions.say("measuring from the begin of this slice; select another one and press x to measure to its end");
    }
    actions.measure({ begin: mark, end: model.end[slice] });
    mark = null;
  }

  const keys = {
    w: () => view.zoom(0.7),
    s: () => view.zoom(1 / 0.7),
    a: () => view.pan(-view.width() / 8),
    d: () => view.pan(view.width() / 8),
    "+": () => view.zoom(0.7),
    "-": () => view.zoom(1 / 0.7),
    0: () => view.show(0, layout.length()),
    ArrowLeft: () => walkFrom((slice) => walk.neighbour(slice, -1)),
    ArrowRight: () => walkFrom((slice) => walk.neighbour(slice, 1)),
    ArrowUp: () => walkFrom(walk.up),
    ArrowDown: () => walkFrom(walk.down),
    Home: () => walkFrom((slice) => walk.endOfLane(slice, -1)),
    End: () => walkFrom((slice) => walk.endOfLane(slice, 1)),
    PageUp: () => view.scrollTo(view.scroll() - view.height() / 2),
    PageDown: () => view.scrollTo(view.scroll() + view.height() / 2),
    l: () => walkFrom(walk.overLaunch),
    f: () => actions.fit(),
    m: () => toEvaluation(1),
    M: () => toEvaluation(-1),
    n: () => actions.nextFound(1),
    N: () => actions.nextFound(-1),
    x: measureSlices,
    "/": () => actions.search(),
    Enter: () => actions.fit(),
    Escape() {
      mark = null;
      actions.clear();
    },
  };

  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
    if (action === undefined) return;
    event.preventDefault();
    action();
  });

  return { go, toEvaluation };
};
