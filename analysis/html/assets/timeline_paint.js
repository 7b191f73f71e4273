// Draws rows of slices: singly what is at least half a pixel wide, the others of a pixel together as a shade. A row takes
// as much time as it has pixels, however many slices it has.
xsp.timelinePaint = function (model) {
  const kSeries = ["--xsp-c1", "--xsp-c2", "--xsp-c3", "--xsp-c4", "--xsp-c5", "--xsp-c6", "--xsp-c7"];
  const kOfKind = {
    application: "--xsp-c8", python: "--xsp-c8", model: "--xsp-c1", module: "--xsp-c6", layer: "--xsp-c3",
    operator: "--xsp-c4", library: "--xsp-c5", runtime: "--xsp-c7", stream: "--xsp-c2", other: "--xsp-c8",
  };
  const kFont = "11px system-ui, sans-serif";
  const widths = new Map(); // of names
  const fills = new Map(); // pale colours
  const series = new Map(); // by text, of a stable hash
  let byLevel = false;
  let paper = "";

  function hashed(text) {
    let hash = 2166136261;
    for (let i = 0; i < Math.min(text.length, 512); ++i) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
    return kSeries[(hash >>> 8) % kSeries.length];
  }

  // The variable of the style for a slice: layers by type, what ran on a device by name, everything else by level.
  function variableOf(slice) {
    const lane = model.lanes[model.laneOf[slice]];
    if (byLevel || (lane.kind !== "layer" && lane.kind !== "stream")) return kOfKind[lane.kind];
    const key = lane.kind === "layer" ? model.typeIdOf(slice) : model.nameIdOf(slice);
    let variable = series.get(key);
    if (variable === undefined) {
      const facets = model.facetsOf(slice);
      variable = hashed(lane.kind === "layer" ? facets.type || "" : model.nameOf(slice));
      series.set(key, variable);
    }
    return variable;
  }

  const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

  // A colour thinned with the paper, so that text on it reads as on the paper.
  function pale(variable) {
    if (paper !== xsp.theme.color("--xsp-paper")) {
      paper = xsp.theme.color("--xsp-paper");
      fills.clear();
    }
    if (!fills.has(variable)) {
      const a = channels(xsp.theme.color(variable));
      const b = channels(paper);
      fills.set(variable, `rgb(${a.map((value, i) => Math.round(0.34 * value + 0.66 * b[i])).join(",")})`);
    }
    return fills.get(variable);
  }

  function label(context, slice, x, y, width, height) {
    const id = model.nameIdOf(slice);
    let name = model.nameOf(slice).slice(0, 300);
    if (!widths.has(id)) widths.set(id, context.measureText(name).width);
    let room = widths.get(id);
    // Letters are not equally wide: what is cut by their mean width may still be too long.
    for (let cuts = 0; room > width - 7; ++cuts) {
      const length = Math.floor(((width - 9) / room) * name.length) - 1;
      if (length < 2 || cuts > 4) return;
      name = `${name.slice(0, length)}…`;
      room = context.measureText(name).width;
    }
    context.fillText(name, Math.max(x + 3, 4), y + height / 2 + 0.5);
  }

  function single(context, slice, x, y, width, height) {
    const variable = variableOf(slice);
    const color = xsp.theme.color(variable);
    if (width < 4) {
      context.fillStyle = color;
      context.fillRect(x, y, Math.max(width, 1), height);
      return;
    }
    context.fillStyle = pale(variable);
    context.fillRect(x, y, width - 1, height);
    context.strokeStyle = color;
    context.strokeRect(x + 0.5, y + 0.5, width - 2, height - 1);
    if (width < 26 || height < 12) return;
    context.fillStyle = xsp.theme.color("--xsp-ink");
    label(context, slice, x, y, width, height);
  }

  // slices: numbers in order, or null for all from `first` up to `last`, which are then slices themselves.
  function row(context, view, slices, first, last, y, height) {
    const at = slices === null ? (i) => i : (i) => slices[i];
    const search = (from, test) => {
      let low = from;
      let high = last;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (test(at(middle))) high = middle;
        else low = middle + 1;
      }
      return low;
    };
    const alpha = context.globalAlpha;
    const stop = view.timeOf(view.width());
    let i = search(first, (slice) => model.end[slice] > view.begin());
    while (i < last && model.begin[at(i)] < stop) {
      const slice = at(i);
      const x = Math.max(view.xOf(model.begin[slice]), -2);
      const width = Math.min(view.xOf(model.end[slice]), view.width() + 2) - x;
      if (width >= 0.5) {
        single(context, slice, x, y, width, height);
        ++i;
        continue;
      }
      const pixel = Math.floor(x);
      let next = search(i + 1, (other) => model.begin[other] >= view.timeOf(pixel + 1));
      const end = at(next - 1);
      if (next - 1 > i && view.xOf(model.end[end]) - view.xOf(model.begin[end]) >= 0.5) --next;
      const covered = slices === null ? model.passed[next] - model.passed[i] : Infinity;
      const share = Math.min(1, covered / (view.timeOf(1) - view.timeOf(0)));
      context.globalAlpha = alpha * (0.3 + 0.7 * share);
      context.fillStyle = xsp.theme.color(variableOf(slice));
      context.fillRect(pixel, y, 1, height);
      context.globalAlpha = alpha;
      i = next;
    }
  }

  // How busy a lane is by what is not drawn singly, behind its slices.
  function shade(context, view, lane, y, height) {
    const bin = model.parts[lane.part].bin;
    context.fillStyle = xsp.theme.color(kOfKind[lane.kind]);
    const alpha = context.globalAlpha;
    let low = 0;
    let high = lane.shade.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((lane.shade[middle].bin + 1) * bin > view.begin()) high = middle;
      else low = middle + 1;
    }
    for (; low < lane.shade.length; ++low) {
      const own = lane.shade[low];
      const x = view.xOf(own.bin * bin);
      if (x > view.width()) break;
      context.globalAlpha = alpha * (0.06 + 0.34 * Math.min(1, own.ns / bin));
      context.fillRect(x, y, Math.max(view.xOf((own.bin + 1) * bin) - x, 1), height);
    }
    context.globalAlpha = alpha;
  }

  return {
    row, shade,
    color: (slice) => xsp.theme.color(variableOf(slice)),
    setByLevel(on) {
      byLevel = on;
    },
    prepare(context) {
      context.font = kFont;
      context.textBaseline = "middle";
      context.textAlign = "left";
      context.direction = "ltr";
      context.lineWidth = 1;
    },
  };
};
