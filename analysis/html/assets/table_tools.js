// What stands over a table view: its filter, how many rows there are, and the ways out of the page.
xsp.tableTools = (function () {
  const kFilterDelayMs = 60;
  const kSaidMs = 2500; // how long it says what was copied
  const kLeastFiltered = 6; // rows: fewer are seen at once
  let made = 0;

  function counted(count) {
    return `${count.toLocaleString("en")} ${count === 1 ? "row" : "rows"}`;
  }

  function copyText(text) {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    return Promise.reject(new Error("this browser lets no page copy"));
  }

  function download(text, name) {
    const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    const link = xsp.element("a", { href: address, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  }

  function fileName(id) {
    const title = document.title.replace(/[^\w.-]+/g, "-").replace(/^[-.]+|-+$/g, "").slice(0, 60);
    return `${title || "xsp"}-${id}.csv`;
  }

  class TableTools {
    constructor(view) {
      this.view = view;
      const problemId = `table-problem-${++made}`;
      this.filter = xsp.element("input", { type: "search", spellcheck: false, autocomplete: "off" });
      this.filter.placeholder = "filter: conv, /relu|gelu/, latency_ms>1";
      this.filter.setAttribute("aria-label", `filter the rows of ${view.table.id}`);
      this.filter.setAttribute("aria-describedby", problemId);
      this.filter.hidden = view.table.length < kLeastFiltered;
      this.count = xsp.element("output", { className: "count" });
      this.problem = xsp.element("span", { className: "problem", id: problemId });
      const button = (text, title, action) => {
        const made = xsp.element("button", { type: "button", textContent: text, title });
        made.addEventListener("click", action);
        return made;
      };
      this.full = button("Full names", "long names whole, or cut in the middle", () => this.toggleFull());
      this.full.setAttribute("aria-pressed", "false");
      this.full.hidden = !view.hasLongNames();
      this.element = xsp.element(
        "div",
        { className: "toolbar" },
        this.filter,
        this.count,
        this.problem,
        this.full,
        button("Copy", "the selected rows, or all that are shown, for a spreadsheet", () => this.copy()),
        button("CSV", "all rows that are shown, as a file", () => this.save()),
      );
      this.filter.addEventListener("input", () => {
        clearTimeout(this.delay);
        this.delay = setTimeout(() => view.refresh(), kFilterDelayMs);
      });
      this.filter.addEventListener("keydown", (event) => {
        if (event.key === "ArrowDown") view.activate(view.active, true);
      });
    }

    filterText() {
      return this.filter.value;
    }

    clearFilter() {
      this.filter.value = "";
    }

    update(problem) {
      const { table, places, held } = this.view;
      const all = table.stored.count;
      let text = places.length === all ? counted(all) : `${places.length.toLocaleString("en")} of ${counted(all)}`;
      if (table.length < all) text += `, ${table.length.toLocaleString("en")} of them in this page`;
      if (held.size > 0) text += `, ${held.size.toLocaleString("en")} selected`;
      const hidden = held.size === 0 || places.length === table.length ? 0 : this.view.countHidden();
      if (hidden > 0) text += ` (${hidden === held.size ? "" : `${hidden} `}hidden by the filter)`;
      this.say(text);
      if (problem === undefined) return;
      this.problem.textContent = problem || "";
      this.filter.setAttribute("aria-invalid", problem ? "true" : "false");
    }

    say(text) {
      clearTimeout(this.said);
      if (this.count.textContent !== text) this.count.textContent = text;
    }

    toggleFull() {
      const isFull = !this.view.isFull;
      this.full.setAttribute("aria-pressed", String(isFull));
      this.view.setFull(isFull);
    }

    copy() {
      const places = this.view.chosen();
      const sayShortly = (text) => {
        this.say(text);
        this.said = setTimeout(() => this.update(), kSaidMs);
      };
      copyText(xsp.tableText.tsv(this.view.table, places)).then(
        () => sayShortly(`${counted(places.length)} copied`),
        (error) => sayShortly(`not copied (${error.message})`),
      );
    }

    save() {
      download(xsp.tableText.csv(this.view.table, this.view.places), fileName(this.view.table.id));
    }
  }

  return { make: (view) => new TableTools(view) };
})();
