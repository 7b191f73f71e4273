// The tools of a roofline: share of time shown, data type, zoom; the legend by bound and source and of roofs; the list
// of what is numbered in the plot. `actions` are told what a reader did.
xsp.rooflineControls = function (frame, view, actions) {
  const make = (tag, className, text) => {
    const made = document.createElement(tag);
    made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  function shareTool() {
    const label = make("label", "xsp-roof-tool", "Share of time shown ");
    const range = make("input", "xsp-roof-range");
    Object.assign(range, { type: "range", min: "1", max: "100", step: "1", value: "100" });
    const output = make("output", "xsp-roof-share");
    range.addEventListener("input", () => actions.share(Number(range.value)));
    label.append(range);
    frame.addTool(label);
    frame.addTool(output);
    return { range, output };
  }

  function typeTool() {
    const label = make("label", "xsp-roof-tool", "Data type ");
    const select = make("select", "xsp-tool xsp-roof-type");
    for (const type of ["", ...view.types]) {
      const option = make("option", "", type === "" ? "all" : type);
      option.value = type;
      select.append(option);
    }
    select.addEventListener("change", () => actions.type(select.value));
    label.append(select);
    frame.addTool(label);
    return select;
  }

  const legend = make("div", "xsp-legend xsp-roof-legend");
  legend.setAttribute("role", "group");
  legend.setAttribute("aria-label", "Legend: a click shows one alone, with Ctrl several");

  function groupEntry(group) {
    const entry = make("button", "xsp-legend-item");
    const kind = group.bound === "memory" ? "circle" : group.bound === "compute" ? "diamond" : "square";
    const mark = make("span", `xsp-mark xsp-mark-${kind}`);
    mark.classList.toggle("xsp-mark-filled", xsp.rooflineMarks.isFilled(group));
    mark.style.setProperty("--swatch", `var(${xsp.rooflineMarks.colorName(group)})`);
    entry.type = "button";
    entry.dataset.group = group.key;
    entry.append(mark, make("span", "xsp-legend-name", xsp.rooflineMarks.name(group)));
    entry.addEventListener("click", (event) => actions.isolate(group.key, event.ctrlKey || event.metaKey));
    return entry;
  }

  function roofEntry(roof) {
    const entry = make("button", "xsp-legend-item");
    const { number } = xsp.figureText;
    entry.type = "button";
    entry.dataset.roof = roof.name;
    const ridge = number(xsp.rooflinePoints.ridgeOf(roof));
    const words = roof.name.includes("TFLOPS") ? roof.name : `${roof.name}: ${number(roof.peak)} TFLOPS, ${number(roof.bandwidth_gbs)} GB/s`;
    entry.append(
      make("b", "xsp-roof-letter", roof.letter),
      make("span", "xsp-legend-name", `${xsp.figureText.shown(words)}, ridge at ${ridge} flop/B`),
    );
    entry.addEventListener("click", () => actions.type(view.type === roof.name ? "" : roof.name));
    return entry;
  }

  const list = make("ol", "xsp-roof-list");

  function listEntry(item, i) {
    const entry = make("button", "xsp-roof-listed", xsp.figureText.shown(item.name));
    entry.type = "button";
    entry.dataset.row = item.row;
    entry.addEventListener("click", (event) => actions.pick(item.row, event.ctrlKey || event.metaKey));
    entry.addEventListener("mouseenter", () => actions.point(item.row));
    entry.addEventListener("mouseleave", () => actions.point(null));
    const place = make("li", "");
    place.append(make("b", "xsp-roof-number", String(i + 1)), entry);
    return place;
  }

  // What a PNG has beside the canvas.
  function itemsForPng() {
    const letter = (text) => (context, x, y) => {
      context.fillStyle = xsp.theme.color("--xsp-ink");
      context.fillText(text, x, y);
    };
    const groups = view.groups.filter((group) => view.shows(group));
    return [
      ...groups.map((group) => ({
        name: xsp.rooflineMarks.name(group),
        color: xsp.rooflineMarks.color(group),
        mark: xsp.rooflineMarks.picture(group),
      })),
      ...view.roofs.map((roof) => ({
        name: `${roof.name}: ${xsp.figureText.number(roof.peak)} TFLOPS, ${xsp.figureText.number(roof.bandwidth_gbs)} GB/s`,
        color: xsp.theme.color("--xsp-ink"),
        mark: letter(roof.letter),
      })),
      ...view.listed.map((item, i) => ({
        name: item.name,
        color: xsp.theme.color("--xsp-ink"),
        mark: letter(String(i + 1)),
      })),
    ];
  }

  const share = shareTool();
  const select = view.types.length > 1 ? typeTool() : null;
  frame.button("+", "Zoom in (Ctrl and wheel)", () => actions.zoom(0.5));
  frame.button("−", "Zoom out (Ctrl and wheel)", () => actions.zoom(2));
  const all = frame.button("All", "Axes that hold every point", () => actions.fitAll());
  frame.button("Reset", "Show everything again", () => actions.reset());

  const body = make("div", "xsp-roof-body");
  frame.box.replaceWith(body);
  const beside = make("div", "xsp-roof-beside");
  beside.append(make("p", "xsp-roof-heading", "Most time"), list);
  body.append(frame.box, beside);
  body.before(legend);
  legend.append(...view.groups.map(groupEntry), ...view.allRoofs.map(roofEntry));
  list.append(...view.listed.map(listEntry));
  beside.hidden = view.listed.length === 0;

  return {
    // Shows the state of the view.
    update() {
      for (const entry of legend.querySelectorAll("[data-group]")) {
        const group = view.groups.find((each) => each.key === entry.dataset.group);
        entry.setAttribute("aria-pressed", String(view.shows(group)));
      }
      for (const entry of legend.querySelectorAll("[data-roof]")) {
        entry.setAttribute("aria-pressed", String(view.type === "" || view.type === entry.dataset.roof));
      }
      for (const entry of list.querySelectorAll("[data-row]")) {
        const row = Number(entry.dataset.row);
        entry.setAttribute("aria-pressed", String(view.isMarked({ row })));
      }
      share.range.value = String(view.share);
      share.output.textContent = `${view.share} %: ${view.points.length} of ${view.all.length}`;
      all.disabled = view.outside.length === 0;
      if (select !== null) select.value = view.type;
      frame.legendItems = itemsForPng();
    },
  };
};
