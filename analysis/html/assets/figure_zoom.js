// A range of the x axis: drag over it, or zoom by buttons and the keys + - 0; a double click shows all again.
//
// full: [low, high]; least: the smallest span; valueAt(pixel): of the x axis; middle(): what a button zooms to;
// changed(): the range is another one.
xsp.figureZoom = function (frame, { full, least, valueAt, middle, changed }) {
  let [low, high] = full;
  let from = null; // where a drag began
  const brush = document.createElement("div");
  brush.className = "xsp-brush";
  brush.hidden = true;
  frame.box.append(brush);

  function set(newLow, newHigh) {
    const span = Math.min(full[1] - full[0], Math.max(least, newHigh - newLow));
    const center = (newLow + newHigh) / 2;
    const begin = Math.max(full[0], Math.min(full[1] - span, center - span / 2));
    if (begin === low && begin + span === high) return;
    low = begin;
    high = begin + span;
    all.disabled = out.disabled = low === full[0] && high === full[1];
    closer.disabled = high - low <= least;
    changed();
  }

  function zoom(factor) {
    const center = factor < 1 ? middle() : (low + high) / 2;
    const half = ((high - low) * factor) / 2;
    set(center - half, center + half);
  }

  const reset = () => set(full[0], full[1]);
  const closer = frame.button("Zoom in", "Show half as much (+)", () => zoom(0.5));
  const out = frame.button("Zoom out", "Show twice as much (-)", () => zoom(2));
  const all = frame.button("All", "Show all (0, or a double click)", reset);
  all.disabled = out.disabled = true;
  closer.disabled = high - low <= least;

  const xOf = (event) => {
    const bounds = frame.canvas.getBoundingClientRect();
    return Math.max(0, Math.min(bounds.width, event.clientX - bounds.left));
  };
  frame.canvas.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && event.isPrimary) from = xOf(event);
  });
  frame.canvas.addEventListener("pointermove", (event) => {
    if (from === null) return;
    const to = xOf(event);
    if (Math.abs(to - from) <= 5) return;
    if (brush.hidden) frame.canvas.setPointerCapture(event.pointerId);
    brush.hidden = false;
    brush.style.left = `${Math.min(from, to)}px`;
    brush.style.width = `${Math.abs(to - from)}px`;
  });
  frame.canvas.addEventListener("pointerup", (event) => {
    if (!brush.hidden && from !== null) {
      const to = xOf(event);
      set(valueAt(Math.min(from, to)), valueAt(Math.max(from, to)));
    }
    from = null;
    brush.hidden = true;
  });
  frame.canvas.addEventListener("pointercancel", () => {
    from = null;
    brush.hidden = true;
  });
  frame.canvas.addEventListener("dblclick", reset);
  frame.canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" || event.key === "=") zoom(0.5);
    else if (event.key === "-") zoom(2);
    else if (event.key === "0") reset();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return {
    range: () => [low, high],
    isAll: () => low === full[0] && high === full[1],
    set,
  };
};
