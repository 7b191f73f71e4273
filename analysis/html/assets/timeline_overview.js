// The whole part in a strip, threads above devices, with what is in sight framed: to be dragged, or drawn anew.
xsp.timelineOverview = function (model, layout, view, canvas) {
  const kHeight = 40;
  const kMostLanes = 48; // of a band: those with most time
  const context = canvas.getContext("2d");
  let picture = null; // of the bands; null: to be drawn
  let width = 1;
  let grip = null; // while dragged: {from, begin, isFrame}

  // Share of each pixel that any lane of a band is busy, by the lane that is it most.
  function busy(isDevice) {
    const shares = new Float64Array(width);
    const [first, end] = model.parts[layout.part()].lanes;
    const own = model.lanes.slice(first, end).filter((lane) => (lane.stream !== undefined) === isDevice);
    const work = own.filter((lane) => ["layer", "library", "runtime", "stream"].includes(lane.kind));
    const lanes = (work.length > 0 ? work : own).sort((a, b) => b.ns - a.ns).slice(0, kMostLanes);
    const pixel = layout.length() / width;
    for (const lane of lanes) {
      for (const own of lane.shade) {
        const bin = model.parts[lane.part].bin;
        const x = Math.min(Math.floor((own.bin * bin) / pixel), width - 1);
        shares[x] = Math.max(shares[x], Math.min(own.ns / bin, 1));
      }
      if (lane.rows.length > 0) addRow(lane.rows[0], pixel, shares);
    }
    return shares;
  }

  function addRow(row, pixel, shares) {
    let i = row.first;
    for (let x = 0; x < width && i < row.end; ++x) {
      const from = x * pixel;
      const to = from + pixel;
      i = model.firstEndingAfter(i, row.end, from);
      const next = model.firstBeginningFrom(i, row.end, to);
      if (next === i) continue;
      const before = Math.max(from - model.begin[i], 0);
      const behind = Math.max(model.end[next - 1] - to, 0);
      shares[x] = Math.max(shares[x], (model.passed[next] - model.passed[i] - before - behind) / pixel);
    }
  }

  function drawBands() {
    picture = document.createElement("canvas");
    picture.width = width;
    picture.height = kHeight;
    const own = picture.getContext("2d");
    own.fillStyle = xsp.theme.color("--xsp-raised");
    own.fillRect(0, 0, width, kHeight);
    if (model.parts.length === 0) return;
    [[false, "--xsp-c3", 2], [true, "--xsp-c2", kHeight / 2 + 1]].forEach(([isDevice, color, top]) => {
      own.fillStyle = xsp.theme.color(color);
      busy(isDevice).forEach((share, x) => {
        const tall = Math.min(share, 1) * (kHeight / 2 - 3);
        if (tall > 0) own.fillRect(x, top + kHeight / 2 - 3 - tall, 1, Math.max(tall, 1));
      });
    });
  }

  const xOf = (time) => (time / layout.length()) * width;
  const timeOf = (event) => {
    const box = canvas.getBoundingClientRect();
    return Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1) * layout.length();
  };

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const time = timeOf(event);
    const isFrame = time >= view.begin() && time <= view.end() && view.end() - view.begin() < 0.98 * layout.length();
    grip = { from: time, begin: view.begin(), isFrame };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (grip === null) return;
    const time = timeOf(event);
    const span = view.end() - view.begin();
    if (grip.isFrame) view.show(grip.begin + time - grip.from, grip.begin + time - grip.from + span);
    else if (Math.abs(xOf(time - grip.from)) > 3) view.show(Math.min(grip.from, time), Math.max(grip.from, time));
  });
  canvas.addEventListener("pointerup", (event) => {
    if (grip !== null && !grip.isFrame && Math.abs(xOf(timeOf(event) - grip.from)) <= 3) {
      const span = view.end() - view.begin();
      view.show(grip.from - span / 2, grip.from + span / 2);
    }
    grip = null;
  });
  canvas.addEventListener("pointercancel", () => {
    grip = null;
  });

  return {
    resize(newWidth) {
      width = Math.max(Math.round(newWidth), 50);
      const ratio = window.devicePixelRatio || 1;
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(kHeight * ratio);
      canvas.style.height = `${kHeight}px`;
      picture = null;
    },
    // After a change of the part or of the colours.
    renew() {
      picture = null;
    },
    draw() {
      if (picture === null) drawBands();
      const ratio = window.devicePixelRatio || 1;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.drawImage(picture, 0, 0);
      const x0 = xOf(view.begin());
      const x1 = Math.max(xOf(view.end()), x0 + 2);
      context.fillStyle = xsp.theme.color("--xsp-paper");
      context.globalAlpha = 0.6;
      context.fillRect(0, 0, x0, kHeight);
      context.fillRect(x1, 0, width - x1, kHeight);
      context.globalAlpha = 1;
      context.strokeStyle = xsp.theme.color("--xsp-accent");
      context.lineWidth = 2;
      context.strokeRect(x0 + 1, 1, Math.max(x1 - x0 - 2, 1), kHeight - 2);
    },
  };
};
