// The head of a table view: a button for each column, which sorts. One of them is in the order of tabs, arrows move
// between them.
xsp.tableHeads = (function () {
  // Names end in their unit: latency_ms, bandwidth_gbs, kernel_pct, throughput_per_s.
  function saysUnit(name, unit) {
    const plain = unit.toLowerCase().replaceAll("/", "");
    return name.includes(`_${plain}`) || name.includes("pct") || name.endsWith("_per_s") || name === plain;
  }

  class TableHeads {
    constructor(view) {
      this.view = view;
      this.cells = view.columns.map((column) => this.makeCell(column));
      const row = xsp.element("tr", {}, ...this.cells);
      row.setAttribute("aria-rowindex", "1");
      this.element = xsp.element("thead", {}, row);
      this.element.addEventListener("keydown", (event) => this.pressed(event));
      this.setReachable(0);
      this.update();
    }

    makeCell(column) {
      const { name, unit, about } = this.view.table.columns[column];
      const button = xsp.element("button", { type: "button" }, name);
      if (unit && !saysUnit(name, unit)) button.append(" ", xsp.element("small", { textContent: unit }));
      const title = `${name}${unit ? ` in ${unit}` : ""}${about ? `: ${about}` : ""}`;
      const cell = xsp.element("th", { scope: "col", title }, button);
      cell.dataset.column = name;
      if (this.view.numeric[column]) cell.className = "n";
      button.addEventListener("click", () => {
        this.setReachable(this.cells.indexOf(cell));
        this.view.sort(column);
      });
      return cell;
    }

    setReachable(at) {
      this.cells.forEach((cell, i) => (cell.firstChild.tabIndex = i === at ? 0 : -1));
    }

    update() {
      this.cells.forEach((cell, i) => {
        const isSorted = this.view.sortedBy === this.view.columns[i];
        cell.setAttribute("aria-sort", !isSorted ? "none" : this.view.isDescending ? "descending" : "ascending");
      });
    }

    pressed(event) {
      const at = this.cells.findIndex((cell) => cell.firstChild === event.target);
      const last = this.cells.length - 1;
      const moves = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
      if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "ArrowDown") this.view.activate(this.view.active, true);
      else if (moves[event.key] === undefined) return;
      else {
        const to = Math.min(Math.max(moves[event.key], 0), last);
        this.setReachable(to);
        this.cells[to].firstChild.focus();
      }
      event.preventDefault();
    }
  }

  return { make: (view) => new TableHeads(view) };
})();
