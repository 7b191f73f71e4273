// Keys of the whole page, and the list of all keys.
xsp.keys = (function () {
  const parts = [
    [
      "Page",
      [
        ["/", "search in the section in view"],
        ["Esc", "clear the selection; leave a search"],
        ["?", "this list"],
      ],
    ],
    [
      "Tables",
      [
        ["Tab", "to the filter, the heads and the rows"],
        ["← →", "in the head: from column to column"],
        ["Enter", "in the head: sort; in a row: select it wherever it is shown"],
        ["↑ ↓ PgUp PgDn Home End", "from row to row"],
        ["Ctrl C", "copy the selected rows, or all that are shown"],
      ],
    ],
  ];
  let dialog = null;

  function list(title, keys) {
    const rows = keys.map(([key, what]) =>
      xsp.element("div", {}, xsp.element("dt", {}, xsp.element("kbd", { textContent: key })), xsp.element("dd", { textContent: what })),
    );
    return [xsp.element("h3", { textContent: title }), xsp.element("dl", {}, ...rows)];
  }

  function showHelp() {
    if (dialog === null) {
      const close = xsp.element("button", { type: "button", textContent: "Close" });
      dialog = xsp.element("dialog", { id: "keys" }, xsp.element("h2", { textContent: "Keys", id: "keys-head" }));
      dialog.setAttribute("aria-labelledby", "keys-head");
      dialog.append(...parts.flatMap(([title, keys]) => list(title, keys)), close);
      close.addEventListener("click", () => dialog.close());
      document.body.append(dialog);
    }
    if (!dialog.open) dialog.showModal();
  }

  function search() {
    const section = xsp.contents.current();
    const field = section && section.querySelector('input[type="search"]:not([hidden])');
    if (!field) return false;
    field.focus();
    field.select();
    return true;
  }

  // Keys that a field takes are its own.
  function isTyping(target) {
    return target.matches("input, textarea, select, [contenteditable]");
  }

  function pressed(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      if (dialog !== null && dialog.open) return;
      if (isTyping(event.target) && event.target.value === "") event.target.blur();
      else if (!isTyping(event.target)) xsp.selection.clear(null);
      return;
    }
    if (isTyping(event.target)) return;
    if (event.key === "/" && search()) event.preventDefault();
    else if (event.key === "?") showHelp();
  }

  return {
    attach: () => document.addEventListener("keydown", pressed),
    showHelp,
    // Adds to the list: describe("Timeline", [["w s", "closer, farther"]]), before it is first shown.
    describe: (title, keys) => parts.push([title, keys]),
  };
})();
