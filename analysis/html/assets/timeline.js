// The timeline of a page: a canvas with its tools, its panel and what the page's selection has to do with it.
xsp.timeline = (function () {
  const kSource = "timeline";
  const kHelp =
    "Drag to move, wheel to zoom (with Ctrl, or once the timeline has the focus), shift-drag to measure; ? lists the keys.";
  let number = 0;

  xsp.keys.describe("Timeline", [
    ["w s a d", "closer, farther, left, right; 0 shows everything"],
    ["← →", "to the slice before or behind in the lane; Home End to its ends"],
    ["↑ ↓", "to the slice around; to the first one inside"],
    ["l", "from a launch to its kernel, and back"],
    ["m M", "to the next or previous evaluation"],
    ["f", "fit what is selected"],
    ["/ n N", "find by name; to the next or previous that was found"],
    ["x", "measure: from the begin of a slice, again to the end of another"],
    ["PgUp PgDn", "to the lanes above and below"],
  ]);

  // What a click on a slice selects in the page: null for one that is of no table.
  function facetOf(model, slice) {
    const facets = model.facetsOf(slice);
    const lane = model.lanes[model.laneOf[slice]].kind;
    const order = lane === "layer" ? ["layer", "type"] : ["execution", "kernel", "call", "function"];
    const by = order.find((facet) => facets[facet] !== undefined);
    return by === undefined ? null : { facets, by };
  }

  function build(section) {
    const id = `xsp-timeline-help-${++number}`;
    const made = {
      tools: xsp.element("div", { className: "xsp-timeline-tools" }),
      search: xsp.element("span", { className: "xsp-timeline-search" }),
      part: xsp.element("select", {}),
      evaluation: xsp.element("span", { className: "xsp-timeline-evaluation" }),
      level: xsp.element("button", { type: "button", textContent: "Colours by level" }),
      account: xsp.element("p", { className: "xsp-timeline-account" }),
      chosen: xsp.element("p", { className: "xsp-timeline-chosen", hidden: true }),
      overview: xsp.element("canvas", { className: "xsp-timeline-overview" }),
      labels: xsp.element("div", { className: "xsp-timeline-labels" }),
      canvas: xsp.element("canvas", { className: "xsp-timeline-canvas", tabIndex: 0 }),
      bar: xsp.element("div", { className: "xsp-timeline-bar" }),
      length: xsp.element("div", {}),
      card: xsp.element("div", { className: "xsp-timeline-card", hidden: true }),
      details: xsp.element("div", { className: "xsp-timeline-details" }),
      live: xsp.element("p", { className: "xsp-timeline-live" }),
      help: xsp.element("p", { className: "xsp-timeline-help", id, textContent: kHelp }),
    };
    made.canvas.setAttribute("role", "application"); // so that screen readers leave it its keys
    made.canvas.setAttribute("aria-roledescription", "timeline");
    made.canvas.setAttribute("aria-describedby", id);
    made.overview.setAttribute("aria-hidden", "true");
    made.live.setAttribute("aria-live", "polite");
    made.part.setAttribute("aria-label", "Part of the trace");
    made.bar.append(made.length);
    made.level.title = "else layers by their type and kernels by their name";
    made.level.setAttribute("aria-pressed", "false");
    made.tools.append(made.part, made.search, made.evaluation, made.level);
    const frame = xsp.element("div", { className: "xsp-timeline-frame" });
    frame.append(made.labels, made.overview, made.canvas, made.bar, made.card);
    made.frame = frame;
    section.append(made.tools, made.account, made.chosen, frame, made.live, made.details, made.help);
    return made;
  }

  function button(text, title, act) {
    const made = xsp.element("button", { type: "button", textContent: text, title });
    made.addEventListener("click", act);
    return made;
  }

  function attach(section, data) {
    if (data.parts.length === 0) return; // without a span, as the page says
    const model = xsp.timelineModel(data);
    const layout = xsp.timelineLayout(model);
    const marks = xsp.timelineMarks(model);
    const paint = xsp.timelinePaint(model);
    const made = build(section);
    const view = xsp.timelineView(model, layout, marks, paint, made.canvas, () => afterFrame());
    const overview = xsp.timelineOverview(model, layout, view, made.overview);
    const labels = xsp.timelineLabels(model, layout, view, made.labels);
    const walk = xsp.timelineWalk(model, layout, view);
    const panel = xsp.timelinePanel(model, marks, made);
    let chosenRange = null; // of the iteration that is selected in the page

    function showPart() {
      made.part.value = String(layout.part());
      made.account.textContent = xsp.timelineAccount(model, layout.part());
      const lanes = model.parts[layout.part()].lanes;
      made.canvas.setAttribute("aria-label", `Timeline of ${xsp.timelineTime(layout.length())} in ${lanes[1] - lanes[0]} lanes. ${made.account.textContent}`);
      overview.renew();
      if (chosenRange !== null) view.choose(chosenRange.part === layout.part() ? chosenRange : null);
    }

    // All lanes, as long as the window shows them; a little more than nothing where all are closed.
    function heightInSight() {
      return Math.round(Math.max(Math.min(layout.height() + view.axis + 4, Math.max(0.72 * window.innerHeight, 260)), 80));
    }

    function resize() {
      const tall = heightInSight();
      overview.resize(made.canvas.clientWidth);
      made.labels.style.height = made.bar.style.height = `${tall}px`;
      view.resize(made.canvas.clientWidth, tall);
    }

    function afterFrame() {
      if (made.part.value !== String(layout.part())) showPart();
      overview.draw();
      labels.update();
      const all = `${Math.round(layout.height() + view.axis)}px`;
      if (made.length.style.height !== all) made.length.style.height = all;
      if (view.height() !== heightInSight()) resize();
      if (Math.abs(made.bar.scrollTop - view.scroll()) > 1) made.bar.scrollTop = view.scroll();
      const selected = marks.selected();
      Object.assign(section.dataset, {
        begin: view.begin(),
        end: view.end(),
        part: layout.part(),
        selected: selected < 0 ? "" : model.nameOf(selected).slice(0, 200),
        slice: selected,
        marked: marks.marked().length,
        found: marks.found().length,
        arrows: marks.arrows().length,
        frame: view.frame().ms.toFixed(2),
        frames: view.frame().count,
      });
    }

    function select(slice) {
      marks.select(slice);
      panel.show(slice);
      if (slice >= 0) panel.tell(slice);
      const facet = slice < 0 ? null : facetOf(model, slice);
      const now = xsp.selection.current();
      if (facet === null) xsp.selection.clear(kSource);
      else if (now.facet !== facet.by || now.value !== facet.facets[facet.by]) {
        xsp.selection.toggle(facet.facets, facet.by, kSource);
      }
      view.draw();
    }

    function fitAll(slices) {
      const own = [...slices].filter((slice) => model.partOf(slice) === layout.part());
      if (own.length === 0) return;
      let from = Infinity;
      let to = -Infinity;
      for (const slice of own) {
        from = Math.min(from, model.begin[slice]);
        to = Math.max(to, model.end[slice]);
      }
      view.reveal(own[0]);
      view.fit(from, to);
    }

    const actions = {
      selected: () => marks.selected(),
      select,
      say: (text) => panel.say(text),
      hover: (slice, at) => panel.hover(slice, at),
      measure(range) {
        view.measure(range);
        panel.say(`measured ${xsp.timelineTime(Math.abs(range.end - range.begin))}`);
        section.dataset.measured = Math.abs(range.end - range.begin);
      },
      // The selected slice, else what the page selected, else what was found.
      fit() {
        const selected = marks.selected();
        if (selected >= 0) fitAll([selected]);
        else if (marks.ofFacet().length > 0) fitAll(marks.ofFacet());
        else if (chosenRange !== null) fitChosen();
        else fitAll(marks.found());
      },
      nextFound: (direction) => search.next(direction),
      search: () => search.focus(),
      clear() {
        search.clear();
        view.measure(null);
        select(-1);
        panel.say("nothing is selected");
      },
    };
    const input = xsp.timelineInput(model, layout, view, walk, made.canvas, actions);
    const search = xsp.timelineSearch(model, marks, view, input.go, made.search);

    model.parts.forEach((part, i) => made.part.append(xsp.element("option", { value: String(i), textContent: part.label })));
    made.part.hidden = model.parts.length < 2;
    made.part.addEventListener("change", () => {
      layout.setPart(Number(made.part.value));
      labels.clear();
      showPart();
      view.show(0, layout.length());
    });
    made.level.addEventListener("click", () => {
      const on = made.level.getAttribute("aria-pressed") !== "true";
      made.level.setAttribute("aria-pressed", String(on));
      paint.setByLevel(on);
      view.draw();
    });
    made.evaluation.hidden = model.evaluations.roots.length === 0;
    made.evaluation.append(
      button("‹", "previous evaluation (M)", () => input.toEvaluation(-1)),
      ` ${model.evaluations.count} evaluation${model.evaluations.count === 1 ? "" : "s"} `,
      button("›", "next evaluation (m)", () => input.toEvaluation(1)),
    );
    made.evaluation.firstChild.setAttribute("aria-label", "Previous evaluation");
    made.evaluation.lastChild.setAttribute("aria-label", "Next evaluation");
    made.tools.append(button("All", "everything (0)", () => view.show(0, layout.length())));
    made.bar.addEventListener("scroll", () => {
      if (Math.abs(made.bar.scrollTop - view.scroll()) > 1) view.scrollTo(made.bar.scrollTop);
    });

    function fitChosen() {
      if (layout.part() !== chosenRange.part) {
        layout.setPart(chosenRange.part);
        labels.clear();
        showPart();
      }
      view.fit(chosenRange.begin, chosenRange.end);
    }

    function showChosen() {
      const { facet, value } = xsp.selection.current();
      chosenRange = facet === "iteration" ? xsp.timelineIteration(model) : null;
      view.choose(chosenRange !== null && chosenRange.part === layout.part() ? chosenRange : null);
      const slices = marks.ofFacet();
      made.chosen.hidden = slices.length === 0 && chosenRange === null;
      section.dataset.chosen = chosenRange === null ? "" : `${chosenRange.begin} ${chosenRange.end}`;
      if (made.chosen.hidden) return;
      const which = model.isWhole ? "" : " drawn one by one";
      const text =
        chosenRange !== null
          ? `${chosenRange.name}, ${xsp.timelineTime(chosenRange.end - chosenRange.begin)} from ${xsp.timelineTime(chosenRange.begin)} on `
          : `${slices.length} slice${slices.length === 1 ? "" : "s"}${which} of ${facet} ${String(value).slice(0, 200)}, together ${xsp.timelineTime(marks.sum(slices))} `;
      made.chosen.replaceChildren(
        xsp.element("span", { textContent: text }),
        button("Fit", "fit them", () => (chosenRange !== null ? fitChosen() : fitAll(marks.ofFacet()))),
      );
    }

    xsp.selection.listen((source) => {
      const { facet, value } = xsp.selection.current();
      const selected = marks.selected();
      if (source !== kSource && selected >= 0 && !xsp.selection.holds(model.facetsOf(selected))) {
        marks.select(-1);
        panel.show(-1);
      }
      marks.setFacet(facet, value);
      showChosen();
      view.draw();
    });
    xsp.theme.listen(() => {
      overview.renew();
      view.draw();
    });
    showPart();
    new ResizeObserver(resize).observe(made.frame);
    resize();
    const now = xsp.selection.current();
    if (now.facet !== null) {
      marks.setFacet(now.facet, now.value);
      showChosen();
    }
  }

  return { attach };
})();
