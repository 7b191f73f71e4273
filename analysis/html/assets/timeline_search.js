// The box that finds slices by name: how many there are, their time together, and the way from one to the next.
xsp.timelineSearch = function (model, marks, view, go, box) {
  const kLatency = 150; // ms without a key, before a search
  const input = xsp.element("input", { type: "search", placeholder: "Find by name", spellcheck: false });
  input.setAttribute("aria-label", "Find slices by name");
  const result = xsp.element("output", { className: "xsp-timeline-found" });
  const back = xsp.element("button", { type: "button", textContent: "‹", title: "previous (N)", disabled: true });
  const forth = xsp.element("button", { type: "button", textContent: "›", title: "next (n)", disabled: true });
  back.setAttribute("aria-label", "Previous slice found");
  forth.setAttribute("aria-label", "Next slice found");
  box.append(input, back, forth, result);
  let order = []; // what was found by time, part by part
  let at = -1;
  let timer = 0;
  let searched = ""; // the text that `order` is of

  function tell() {
    if (input.value.trim() === "") result.textContent = "";
    else if (order.length === 0) result.textContent = `no ${model.isWhole ? "" : "drawn "}slice has this name`;
    else {
      const place = at < 0 ? "" : `${at + 1} of `;
      const which = model.isWhole ? "" : " drawn one by one";
      result.textContent = `${place}${order.length}${which}, together ${xsp.timelineTime(marks.sum(marks.found()))}`;
    }
  }

  function find() {
    const text = input.value.trim();
    searched = text;
    marks.setFound(text === "" ? new Int32Array(0) : model.withName(text));
    order = [...marks.found()].sort((a, b) => model.partOf(a) - model.partOf(b) || model.begin[a] - model.begin[b]);
    at = -1;
    back.disabled = forth.disabled = order.length === 0;
    tell();
    view.draw();
  }

  function next(direction) {
    if (order.length === 0) return;
    at = at < 0 && direction < 0 ? order.length - 1 : (at + direction + order.length) % order.length;
    go(order[at]);
    tell();
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(find, kLatency);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    clearTimeout(timer);
    if (input.value.trim() !== searched) find();
    next(event.shiftKey ? -1 : 1);
  });
  back.addEventListener("click", () => next(-1));
  forth.addEventListener("click", () => next(1));

  return {
    next,
    focus: () => input.focus(),
    clear() {
      if (input.value === "") return;
      input.value = "";
      find();
    },
    count: () => order.length,
  };
};
