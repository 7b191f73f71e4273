// The mouse over a roofline: hover, click, Ctrl and wheel, and dragging, which moves what is seen.
// handlers: {hover(x, y), click(x, y, several), zoom(factor, {x, y}), pan(dx, dy), leave()}, in pixels of the canvas.
xsp.rooflinePointer = function (frame, handlers) {
  const kSlack = 4; // a click may move so far
  const canvas = frame.canvas;
  let pressed = null; // where, and whether it became a drag

  function place(event) {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    pressed = { ...place(event), dragged: false };
  });
  canvas.addEventListener("pointermove", (event) => {
    const at = place(event);
    if (pressed === null || event.buttons === 0 || event.pointerType === "touch") return handlers.hover(at.x, at.y);
    if (!pressed.dragged && Math.hypot(at.x - pressed.x, at.y - pressed.y) < kSlack) return undefined;
    if (!pressed.dragged) canvas.setPointerCapture(event.pointerId);
    handlers.pan(at.x - pressed.x, at.y - pressed.y);
    pressed = { ...at, dragged: true };
    return undefined;
  });
  canvas.addEventListener("pointerup", (event) => {
    const at = place(event);
    const clicked = pressed !== null && !pressed.dragged;
    pressed = null;
    if (clicked) handlers.click(at.x, at.y, event.ctrlKey || event.metaKey);
  });
  canvas.addEventListener("pointercancel", () => {
    pressed = null;
  });
  canvas.addEventListener("pointerleave", () => handlers.leave());
  // Without Ctrl the wheel scrolls the page.
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      handlers.zoom(event.deltaY > 0 ? 1.25 : 0.8, place(event));
    },
    { passive: false },
  );
};
