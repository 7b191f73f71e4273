// Working with a figure by keyboard: the canvas takes the focus, arrows go from point to point, Enter selects.
//
// points: {
//   count(): how many there are now, in the order of the walk
//   show(i): marks point i in the drawing (-1: none) and returns where it is: {x, y} in pixels of the canvas
//   lines(i): what to say of it, as for the card
//   select(i): selects it in the page
// }
xsp.figureWalk = function (frame, points) {
  let at = -1;

  function go(to) {
    const count = points.count();
    if (count === 0) return;
    at = Math.max(0, Math.min(count - 1, to));
    const place = points.show(at);
    const lines = points.lines(at);
    frame.card.show(place.x, place.y, lines);
    const words = lines.map((line) => (Array.isArray(line) ? `${line[0]} ${line[1]}` : line)).join(", ");
    frame.say(`${words}, ${at + 1} of ${count}`);
  }

  function leave() {
    at = -1;
    points.show(-1);
    frame.card.hide();
  }

  function step(event) {
    const far = Math.max(1, Math.round(points.count() / 10));
    switch (event.key) {
      case "ArrowRight":
      case "ArrowDown":
        return go(at + 1);
      case "ArrowLeft":
      case "ArrowUp":
        return go(at < 0 ? points.count() - 1 : at - 1);
      case "PageDown":
        return go(at + far);
      case "PageUp":
        return go(at - far);
      case "Home":
        return go(0);
      case "End":
        return go(points.count() - 1);
      case "Enter":
      case " ":
        if (at >= 0) points.select(at);
        return undefined;
      case "Escape":
        if (at < 0) xsp.selection.clear(frame.element);
        return leave();
      default:
        return false;
    }
  }

  frame.canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step(event) !== false) {
      event.preventDefault();
      event.stopPropagation(); // the page's own keys
    }
  });
  frame.canvas.addEventListener("blur", leave);
  return {
    // The points are others now, as after a zoom.
    reset: leave,
  };
};
