// What a point looks like: a circle is bound by memory, a diamond by compute, a square is not known to be either; filled
// ones are of counters. Colour says the same as shape, and area is time in every shape.
xsp.rooflineMarks = (function () {
  const kLargest = 22; // radius in pixels
  const kSmallest = 1.5; // what is smaller is drawn as large as this
  const colors = { memory: "--xsp-c1", compute: "--xsp-c2" };
  const shapes = { memory: "circle", compute: "rectRot" };
  const words = { memory: "memory-bound", compute: "compute-bound" };
  // Chart.js draws a square by the circle around it.
  const toSquare = Math.sqrt(Math.PI / 2);

  const colorName = (group) => colors[group.bound] || "--xsp-c8";
  const color = (group) => xsp.theme.color(colorName(group));
  const isFilled = (group) => group.source === "counters";

  function radiusOf(largestTime, width) {
    const largest = Math.max(6, Math.min(kLargest, width / 24));
    return (point) => {
      const radius = largestTime > 0 ? largest * Math.sqrt(point.size / largestTime) : kSmallest;
      return Math.max(kSmallest, radius) * (point.group.bound === "memory" ? 1 : toSquare);
    };
  }

  // A mark on a canvas, as Chart.js draws it.
  function draw(context, group, x, y, radius) {
    context.beginPath();
    if (group.bound === "memory") {
      context.arc(x, y, radius, 0, 2 * Math.PI);
    } else {
      const turn = group.bound === "compute" ? 0 : Math.PI / 4;
      for (let i = 0; i < 4; ++i) {
        const angle = turn + (i * Math.PI) / 2;
        context.lineTo(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
      }
      context.closePath();
    }
  }

  return {
    color,
    colorName,
    isFilled,
    radiusOf,
    draw,
    shape: (group) => shapes[group.bound] || "rect",
    fill: (group) => withAlpha(color(group), isFilled(group) ? 0.75 : 0.22),
    withAlpha,
    name: (group) =>
      `${words[group.bound] || "bound not known"}, ${isFilled(group) ? "by counters" : "by arguments"}`,
    // For PNG: where a legend has a square.
    picture(group) {
      return (context, x, y) => {
        draw(context, group, x + 6, y + 7, group.bound === "memory" ? 5 : 6);
        context.fillStyle = withAlpha(color(group), isFilled(group) ? 0.75 : 0.22);
        context.fill();
        context.strokeStyle = color(group);
        context.stroke();
      };
    },
  };

  // Colours of the style are #rrggbb.
  function withAlpha(hex, alpha) {
    return hex.length === 7 ? `${hex}${Math.round(alpha * 255).toString(16).padStart(2, "0")}` : hex;
  }
})();
