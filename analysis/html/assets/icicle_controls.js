// What stands around an icicle: the measure, the search, the way from the whole to the part that is shown, notes.
xsp.icicleControls = function (section, data, actions) {
  const make = (tag, className, text) => {
    const made = document.createElement(tag);
    made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  const drawing = make("div", "xsp-drawing xsp-icicle");
  const tools = make("div", "xsp-tools");
  const about = make("p", "xsp-figure-note xsp-icicle-about");
  const path = make("nav", "xsp-icicle-path");
  path.setAttribute("aria-label", "From the whole to the part shown");
  const box = make("div", "xsp-icicle-box");
  const items = make("div", "xsp-icicle-items");
  items.tabIndex = 0;
  items.setAttribute("role", "tree");
  items.setAttribute("aria-label", "Time by layer type, layer, library call and kernel. Arrow keys walk, Enter goes in, Backspace up.");
  const note = make("p", "xsp-figure-note");
  const live = make("div", "xsp-live");
  live.setAttribute("aria-live", "polite");

  const buttons = data.measures.map((each) => {
    const button = make("button", "xsp-tool", each.name);
    button.type = "button";
    button.title = each.about;
    button.dataset.measure = each.id;
    button.addEventListener("click", () => actions.measure(each.id));
    return button;
  });

  const search = make("input", "xsp-tool xsp-icicle-search");
  Object.assign(search, { type: "search", placeholder: "Search names" });
  search.setAttribute("aria-label", "Search the icicle's names");
  search.addEventListener("input", () => actions.search(search.value));
  // Keys of the search are not those of the tree.
  search.addEventListener("keydown", (event) => event.stopPropagation());
  const matches = make("output", "xsp-icicle-matches");

  if (buttons.length > 1) tools.append(...buttons);
  tools.append(search, matches);
  box.append(items);
  drawing.append(tools, about, path, box, note, live);
  for (const still of section.querySelectorAll("svg[role=img]")) still.classList.add("xsp-still");
  section.append(drawing);

  function stepOf(node, isLast) {
    const step = make("button", "xsp-icicle-step", xsp.figureText.shown(xsp.figureText.shortened(node.name, 60)));
    step.type = "button";
    if (isLast) step.setAttribute("aria-current", "true");
    step.addEventListener("click", () => actions.go(node));
    return step;
  }

  return {
    box,
    items,
    say(text) {
      live.textContent = text;
    },
    update(state) {
      for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.measure === state.measure));
      const shown = data.measures.find((each) => each.id === state.measure);
      about.textContent = `Width: ${shown.about}.`;
      path.replaceChildren(...state.path.map((node, i) => stepOf(node, i + 1 === state.path.length)));
      matches.textContent = state.search;
      note.textContent = [...(data.notes || []).map((each) => `${each}.`), state.note].filter(Boolean).join(" ");
      note.hidden = note.textContent === "";
    },
  };
};
