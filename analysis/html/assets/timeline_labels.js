// The names of the lanes beside the canvas, as buttons that close and open them. Only those in sight exist, however many
// lanes there are; one that stays keeps its element, and with it the focus.
xsp.timelineLabels = function (model, layout, view, box) {
  const shown = new Map(); // by key of an item: its element

  const keyOf = (item) => (item.lane ? `l${item.lane.index}` : `p${item.head}`);

  function make(item) {
    const button = xsp.element("button", { type: "button", className: item.lane ? "xsp-lane" : "xsp-lane xsp-lane-head" });
    if (item.lane) {
      button.append(
        xsp.element("span", { className: "xsp-lane-short", textContent: item.lane.short }),
        xsp.element("span", { className: "xsp-lane-what", textContent: item.lane.what }),
        xsp.element("span", { className: "xsp-lane-where", textContent: item.lane.where }),
      );
      button.setAttribute("aria-label", `${item.lane.what}, ${item.lane.where}`);
      button.title = `${item.lane.what}, ${item.lane.where}: ${item.lane.spans} spans, ${xsp.timelineTime(item.lane.ns)}`;
    } else {
      button.append(xsp.element("span", { className: "xsp-lane-what", textContent: model.processes[item.head] }));
      button.title = model.processes[item.head];
    }
    button.addEventListener("click", () => {
      layout.toggle(button.item);
      view.scrollTo(view.scroll());
    });
    return button;
  }

  return {
    update() {
      const wanted = layout.within(view.scroll(), view.scroll() + view.height() - view.axis);
      const keys = new Set(wanted.map(keyOf));
      for (const [key, element] of shown) {
        if (keys.has(key)) continue;
        element.remove();
        shown.delete(key);
      }
      for (const item of wanted) {
        const key = keyOf(item);
        if (!shown.has(key)) shown.set(key, box.appendChild(make(item)));
        const button = shown.get(key);
        button.item = item;
        button.setAttribute("aria-expanded", item.isOpen ? "true" : "false");
        button.style.top = `${view.axis + item.y - view.scroll()}px`;
        button.style.height = `${item.height - 2}px`;
      }
    },
    clear() {
      for (const element of shown.values()) element.remove();
      shown.clear();
    },
  };
};
