// What is selected in words: below the canvas in full, in a card at the pointer in short, and for who cannot see the
// canvas as a sentence that is read out.
xsp.timelinePanel = function (model, marks, elements) {
  const kWords = {
    1: "span", 2: "module", 3: "container", 4: "model", 5: "run of a session", 6: "node", 7: "script module", 8: "call",
    9: "runtime call", 10: "NVTX range", 11: "ITT task", 12: "driver call", 13: "kernel", 14: "copy", 15: "memset",
    16: "synchronization", 17: "memory", 18: "overhead", 19: "stream interval", 20: "operator", 21: "Python function",
    22: "annotation", 23: "run",
  };
  const time = xsp.timelineTime;

  const whatOf = (slice) => kWords[model.kind[slice]] || "span";
  const laneOf = (slice) => model.lanes[model.laneOf[slice]];

  function layerOf(slice) {
    if (model.layer[slice] < 0) return "";
    let above = slice;
    while (above >= 0 && laneOf(above).kind !== "layer") above = model.parent[above];
    const name = above >= 0 ? ` ${model.nameOf(above)}` : "";
    return `${model.layer[slice]}${name}`;
  }

  function launchOf(slice) {
    if (!model.isDevice(slice)) return "";
    const above = model.parent[slice];
    if (above >= 0) return `${time(model.begin[slice] - model.begin[above])} after the begin of ${model.nameOf(above)}`;
    const before = model.launchedBefore(slice);
    return before === undefined ? "" : `${time(before)} before, by a call that is not drawn on its own`;
  }

  function factsOf(slice) {
    const lane = laneOf(slice);
    const above = model.isDevice(slice) ? -1 : model.parent[slice];
    const below = marks.below();
    const detail = model.detailOf(slice);
    const isCall = lane.kind === "library" || lane.kind === "runtime";
    const arrows = marks.arrows().length;
    const shown = arrows < below.kernels ? `, of which ${arrows} have arrows` : "";
    return [
      ["what", whatOf(slice) === lane.what ? lane.what : `${whatOf(slice)} · ${lane.what}`],
      ["begin", time(model.begin[slice])],
      ["duration", time(model.duration(slice))],
      [model.isDevice(slice) ? "stream" : "thread", lane.where],
      ["process", model.processes[lane.process]],
      ["inside", above >= 0 ? model.nameOf(above) : ""],
      ["layer", layerOf(slice)],
      ["type", model.facetsOf(slice).type],
      ["evaluation", model.evaluation[slice] < 0 ? "" : `${model.evaluation[slice] + 1} of ${model.evaluations.count}`],
      ["launched", launchOf(slice)],
      ["on the device", below.kernels === 0 ? "" : `${below.kernels} activities${model.isWhole ? "" : " drawn one by one"}, ${time(below.ns)} together${shown}`],
      [isCall ? "library" : model.isDevice(slice) ? "configuration" : "shape", detail],
    ].filter(([, value]) => value !== "" && value !== undefined);
  }

  function sentence(slice) {
    const lane = laneOf(slice);
    return `${model.nameOf(slice).slice(0, 200)}, ${whatOf(slice)}, ${lane.where}, begins at ${time(model.begin[slice])}, takes ${time(model.duration(slice))}`;
  }

  return {
    show(slice) {
      if (slice < 0) return elements.details.replaceChildren();
      const list = xsp.element("dl", {});
      for (const [term, value] of factsOf(slice)) {
        list.append(xsp.element("dt", { textContent: term }), xsp.element("dd", { textContent: value, dir: "auto" }));
      }
      const name = xsp.element("p", { className: "xsp-timeline-name", dir: "ltr", textContent: model.nameOf(slice) });
      elements.details.replaceChildren(name, list);
    },
    say(text) {
      elements.live.textContent = text;
    },
    tell(slice) {
      elements.live.textContent = sentence(slice);
    },
    hover(slice, at) {
      const card = elements.card;
      card.hidden = slice < 0;
      if (slice < 0) return;
      const lane = laneOf(slice);
      card.replaceChildren(
        xsp.element("strong", { dir: "ltr", textContent: model.nameOf(slice).slice(0, 300) }),
        xsp.element("span", { textContent: `${whatOf(slice)} · ${lane.where}` }),
        xsp.element("span", { textContent: `${time(model.duration(slice))}, from ${time(model.begin[slice])}` }),
      );
      const layer = layerOf(slice);
      if (layer !== "") card.append(xsp.element("span", { textContent: `layer ${layer}` }));
      const room = card.offsetParent;
      const right = at.x + elements.canvas.offsetLeft + 14;
      const fits = right + card.offsetWidth < room.clientWidth;
      card.style.left = `${fits ? right : Math.max(right - card.offsetWidth - 28, 0)}px`;
      card.style.top = `${at.y + elements.canvas.offsetTop + 16}px`;
    },
  };
};

// What of a trace is not drawn singly, said above the canvas.
xsp.timelineAccount = function (model, part) {
  if (model.parts.length === 0) return "";
  const lanes = model.lanes.slice(...model.parts[part].lanes);
  const sum = (value) => lanes.reduce((total, lane) => total + value(lane), 0);
  const spans = sum((lane) => lane.spans);
  const drawn = spans - sum((lane) => lane.shaded || 0);
  const ns = sum((lane) => lane.ns);
  const left = ns - sum((lane) => lane.drawn_ns);
  const cut = model.cutTexts > 0 ? ` ${model.cutTexts} long names are cut.` : "";
  if (drawn === spans) return cut.trim();
  const share = ns > 0 ? ((100 * left) / ns).toPrecision(2) : "0";
  return `${drawn.toLocaleString("en")} of ${spans.toLocaleString("en")} spans are drawn one by one, the longest of each lane; the others (${Number(share)} % of all time) are shaded.${cut}`;
};
