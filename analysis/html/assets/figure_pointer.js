// Working with a figure by pointer: a card beside the point under it, a click selects. points: as for the walk
// (figure_walk.js), and
//   pick(x, y): the point there, or -1
xsp.figurePointer = function (frame, points) {
  let at = -1;
  let pressed = null; // where; a drag is not a click

  function placeOf(event) {
    const bounds = frame.canvas.getBoundingClientRect();
    return { x: event.clientX - bounds.left, y: event.clientY - bounds.top };
  }

  function leave() {
    if (at < 0) return;
    at = -1;
    points.show(-1);
    frame.card.hide();
  }

  frame.canvas.addEventListener("pointermove", (event) => {
    if (event.buttons !== 0) return leave();
    const { x, y } = placeOf(event);
    const found = points.pick(x, y);
    if (found < 0) return leave();
    if (found !== at) {
      at = found;
      points.show(found);
    }
    frame.card.show(x, y, points.lines(found));
    return undefined;
  });
  frame.canvas.addEventListener("pointerleave", leave);
  frame.canvas.addEventListener("pointerdown", (event) => {
    pressed = placeOf(event);
  });
  frame.canvas.addEventListener("click", (event) => {
    const { x, y } = placeOf(event);
    if (pressed !== null && Math.abs(pressed.x - x) > 5) return;
    const found = points.pick(x, y);
    if (found >= 0) points.select(found, y);
  });
};
