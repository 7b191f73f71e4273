// A table to work with, in place of the static one, which stays for print: all rows of which the page holds, sorted,
// filtered, selected and copied. Only rows near what is in view are elements; heads say how many there are.
xsp.tableView = (function () {
  const kWhole = 200; // a table of so many rows is there as a whole, also for the browser's search
  const kAhead = 25; // rows beyond either edge of the box
  const kSample = 2000; // rows that say how wide columns are
  const kTextWidth = 60; // characters
  const kNarrowTextWidth = 28; // on a telephone, so that a number is seen beside a name
  const kFullWidth = 400;
  const views = new Map();

  class TableView {
    constructor(box, table) {
      this.table = table;
      this.filter = xsp.tableRows.filterOf(table);
      this.columns = [...table.columns.keys()].filter((column) => this.hasValue(column));
      this.numeric = table.columns.map((_, column) => xsp.tableRows.isNumeric(table, column));
      this.sortedBy = null; // a column; null: as the table has them
      this.isDescending = false;
      this.textWidth = matchMedia("(max-width: 600px)").matches ? kNarrowTextWidth : kTextWidth;
      this.isFull = false; // names as long as they are
      this.ordered = xsp.tableRows.ordered(table, null);
      this.places = this.ordered;
      this.held = new Set();
      this.active = 0; // of `places`: the row that keys move
      this.rendered = new Map(); // of `places`, its element
      this.rowHeight = 26;
      this.pending = null; // the row to scroll to once there is something to scroll
      this.build(box);
      this.refresh();
      xsp.selection.listen((source) => this.selectionChanged(source));
      if (!xsp.selection.isEmpty()) this.selectionChanged(null);
    }

    hasValue(column) {
      return this.table.columns[column].values.some((value) => value !== null);
    }

    hasLongNames() {
      return this.table.columns.some(
        ({ texts, values }) => (texts || values).some((text) => typeof text === "string" && text.length > this.textWidth),
      );
    }

    countHidden() {
      const shown = new Set(this.places);
      return [...this.held].filter((place) => !shown.has(place)).length;
    }

    build(box) {
      this.root = xsp.element("div", { className: "table-view" });
      this.tools = xsp.tableTools.make(this);
      this.box = xsp.element("div", { className: "rows", tabIndex: -1, role: "region" });
      this.box.setAttribute("aria-label", `rows of ${this.table.id}`);
      this.grid = xsp.element("table");
      this.grid.setAttribute("aria-label", `${this.table.id} ${this.table.stored.title}`);
      this.heads = xsp.tableHeads.make(this);
      this.body = xsp.element("tbody");
      this.details = xsp.element("div", { className: "details", hidden: true });
      this.grid.append(this.heads.element, this.body);
      this.box.append(this.grid);
      this.root.append(this.tools.element, this.box, this.details);
      box.before(this.root);
      box.classList.add("static");
      this.makeSpacers();
      this.box.addEventListener("scroll", () => this.render(), { passive: true });
      this.box.addEventListener("click", (event) => this.clicked(event));
      this.box.addEventListener("keydown", (event) => this.pressed(event));
      this.box.addEventListener("copy", (event) => this.copied(event));
      new ResizeObserver(() => this.render()).observe(this.box);
      box.closest("main > section").addEventListener("contentvisibilityautostatechange", (event) => {
        if (!event.skipped && this.pending !== null) requestAnimationFrame(() => this.pending === null || this.scrollTo(this.pending));
      });
    }

    // The rows above and below as room; the upper one holds the widest cell of each column, unseen, so that columns
    // keep their width while rows come and go.
    makeSpacers() {
      this.above = xsp.element("tr", { className: "spacer" });
      this.below = xsp.element("tr", { className: "spacer" });
      for (const spacer of [this.above, this.below]) spacer.setAttribute("aria-hidden", "true");
      for (const column of this.columns) {
        this.above.append(xsp.element("td", { textContent: this.widest(column) }));
      }
      this.body.replaceChildren(this.above, this.below);
      this.rendered.clear();
    }

    widest(column) {
      const { texts } = this.table.columns[column];
      let widest = "";
      const consider = (value) => {
        const text = this.shown(value, column);
        if (text.length > widest.length) widest = text;
      };
      if (texts !== undefined) {
        for (const text of texts) if (text.length > widest.length) consider(text);
        return widest;
      }
      const step = Math.ceil(this.table.length / kSample);
      for (let place = 0; place < this.table.length; place += step) consider(this.table.cell(place, column));
      return widest;
    }

    shown(value, column) {
      const text = typeof value === "string" ? value.slice(0, 10 * kFullWidth) : value;
      return xsp.cellText.shorten(xsp.cellText.of(text, this.table.columns[column].decimals), this.isFull ? kFullWidth : this.textWidth);
    }

    setFull(isFull) {
      this.isFull = isFull;
      this.makeSpacers();
      this.render();
    }

    sort(column) {
      // Of numbers the largest are what one looks for; the third time gives the table's own order.
      const first = this.numeric[column];
      if (this.sortedBy !== column) {
        this.sortedBy = column;
        this.isDescending = first;
      } else if (this.isDescending === first) {
        this.isDescending = !first;
      } else {
        this.sortedBy = null;
      }
      this.ordered = xsp.tableRows.ordered(this.table, this.sortedBy, this.isDescending);
      this.heads.update();
      this.refresh();
    }

    // What the filter says has changed, or the order.
    refresh() {
      const { test, problem } = this.filter.parse(this.tools.filterText());
      const activePlace = this.places[this.active];
      this.places = test === null ? this.ordered : this.ordered.filter(test);
      this.active = Math.max(this.places.indexOf(activePlace), 0);
      this.grid.setAttribute("aria-rowcount", this.places.length + 1);
      for (const row of this.rendered.values()) row.remove();
      this.rendered.clear();
      this.box.scrollTop = 0;
      this.render();
      this.tools.update(problem);
    }

    range() {
      if (this.places.length <= kWhole) return [0, this.places.length];
      const top = Math.floor(this.box.scrollTop / this.rowHeight);
      const shown = Math.ceil((this.box.clientHeight || 600) / this.rowHeight);
      return [Math.max(top - kAhead, 0), Math.min(top + shown + kAhead, this.places.length)];
    }

    render() {
      const [from, to] = this.range();
      const hadFocus = this.body.contains(document.activeElement);
      for (const [at, row] of this.rendered) {
        if (at >= from && at < to) continue;
        row.remove();
        this.rendered.delete(at);
      }
      let next = this.above.nextSibling;
      for (let at = from; at < to; ++at) {
        const row = this.rendered.get(at);
        if (row === undefined) this.body.insertBefore(this.makeRow(at), next);
        else next = row.nextSibling;
      }
      if (to > from) this.rowHeight = this.rendered.get(from).getBoundingClientRect().height || this.rowHeight;
      this.above.style.height = `${from * this.rowHeight}px`;
      this.below.style.height = `${(this.places.length - to) * this.rowHeight}px`;
      this.markActive();
      // The row with the focus has scrolled away: keys go on from it.
      if (hadFocus && !this.body.contains(document.activeElement)) this.box.focus({ preventScroll: true });
    }

    makeRow(at) {
      const place = this.places[at];
      const row = xsp.element("tr", { tabIndex: -1 });
      row.setAttribute("aria-rowindex", at + 2);
      row.dataset.row = this.table.numberOf(place);
      row.dataset.at = at;
      for (const column of this.columns) row.append(this.makeCell(place, column));
      this.rendered.set(at, row);
      this.markSelected(row, place);
      return row;
    }

    makeCell(place, column) {
      const value = this.table.cell(place, column);
      const cell = xsp.element("td", { textContent: this.shown(value, column) });
      if (this.numeric[column]) cell.className = "n";
      if (typeof value === "string" && value.length > this.textWidth) {
        cell.title = xsp.cellText.printable(value.slice(0, 10 * kFullWidth));
      }
      return cell;
    }

    markSelected(row, place) {
      row.classList.toggle("selected", this.held.has(place));
      if (this.held.has(place)) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }

    markActive() {
      const reachable = this.rendered.get(this.active) || this.above.nextSibling;
      for (const row of this.rendered.values()) row.tabIndex = row === reachable ? 0 : -1;
    }

    isLaidOut() {
      return !this.box.checkVisibility || this.box.checkVisibility({ contentVisibilityAuto: true });
    }

    // A row that is no element yet is where rows of the same height would put it; then it is where it is.
    scrollTo(at) {
      // Far from the view nothing is laid out, and places are not what they will be.
      this.pending = this.isLaidOut() ? null : at;
      if (this.pending !== null) return;
      const room = this.box.clientHeight - this.heads.element.offsetHeight - this.rowHeight;
      const expected = at * this.rowHeight;
      if (expected < this.box.scrollTop) this.box.scrollTop = expected;
      else if (expected > this.box.scrollTop + room) this.box.scrollTop = expected - room / 2;
      this.render();
      const row = this.rendered.get(at);
      if (row === undefined) return;
      const place = row.getBoundingClientRect();
      const top = this.box.getBoundingClientRect().top + this.box.clientTop;
      const above = top + this.heads.element.offsetHeight - place.top;
      const below = place.bottom - (top + this.box.clientHeight);
      if (above > 0) this.box.scrollTop -= Math.ceil(above);
      else if (below > 0) this.box.scrollTop += Math.ceil(below);
    }

    activate(at, hasFocus) {
      if (this.places.length === 0) return;
      this.active = Math.min(Math.max(at, 0), this.places.length - 1);
      this.scrollTo(this.active);
      const row = this.rendered.get(this.active);
      if (hasFocus && row !== undefined) row.focus({ preventScroll: true });
      this.showDetails();
    }

    // The texts of the active row that its cells do not show whole.
    showDetails() {
      const place = this.places[this.active];
      const items = [];
      for (const column of this.columns) {
        const value = this.table.cell(place, column);
        if (typeof value !== "string" || this.shown(value, column) === xsp.cellText.printable(value)) continue;
        const text = xsp.element("bdi", { textContent: xsp.cellText.printable(value) });
        const item = xsp.element("p");
        item.append(xsp.element("b", { textContent: this.table.columns[column].name }), " ", text);
        items.push(item);
      }
      this.details.replaceChildren(...items);
      this.details.hidden = items.length === 0;
    }

    toggle(at) {
      xsp.facets.toggleRow(this.table.id, this.table.numberOf(this.places[at]), this);
    }

    clicked(event) {
      const row = event.target.closest("tr[data-at]");
      // Whoever marks text with the mouse wants the text.
      if (row === null || !window.getSelection().isCollapsed) return;
      this.activate(Number(row.dataset.at), true);
      this.toggle(this.active);
    }

    pressed(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("thead")) return;
      const page = Math.max(Math.floor(this.box.clientHeight / this.rowHeight) - 2, 1);
      const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
      if (moves[event.key] !== undefined) this.activate(this.active + moves[event.key], true);
      else if (event.key === "Enter" || event.key === " ") this.toggle(this.active);
      else if (event.key === "ArrowLeft") this.box.scrollLeft -= 80;
      else if (event.key === "ArrowRight") this.box.scrollLeft += 80;
      else return;
      event.preventDefault();
    }

    // Rows to take elsewhere: those selected, else all that are shown.
    chosen() {
      if (this.held.size === 0) return this.places;
      const selected = this.places.filter((place) => this.held.has(place));
      return selected.length > 0 ? selected : this.places;
    }

    copied(event) {
      if (!window.getSelection().isCollapsed) return;
      event.clipboardData.setData("text/plain", xsp.tableText.tsv(this.table, this.chosen()));
      event.preventDefault();
    }

    selectionChanged(source) {
      this.held = new Set(xsp.facets.placesHeld(this.table));
      for (const [at, row] of this.rendered) this.markSelected(row, this.places[at]);
      this.tools.update();
      if (source === this || this.held.size === 0) return;
      const first = this.places.findIndex((place) => this.held.has(place));
      if (first < 0) return;
      this.active = first;
      this.scrollTo(first);
      this.showDetails();
    }

    // Brings a row into view, also when the filter hides it, and selects what it is of.
    show(place) {
      if (!this.places.includes(place)) {
        this.tools.clearFilter();
        this.refresh();
      }
      this.activate(this.places.indexOf(place), true);
      if (!this.held.has(place)) this.toggle(this.active);
    }
  }

  return {
    // Replaces the static table of `id` in `section`; nothing where there is none.
    attach(section, id, table) {
      const old = section.querySelector(`table[data-table="${CSS.escape(id)}"]`);
      if (views.has(id) || old === null || table.length === 0) return views.get(id);
      views.set(id, new TableView(old.closest(".rows") || old, table));
      return views.get(id);
    },
    of: (id) => views.get(id),
  };
})();
