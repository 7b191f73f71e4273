// Findings lead to their evidence: the section comes into view, with the row selected that shows it.
xsp.overview = {
  // reveal: makes the section of a table ready to work with, a promise.
  attach(section, reveal) {
    section.addEventListener("click", (event) => {
      const link = event.target.closest("a[data-table]");
      if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const { table, column, key } = link.dataset;
      reveal(table).then(() => {
        xsp.contents.goTo(document.getElementById(table));
        const view = xsp.tableView.of(table);
        const place = view === undefined || !column ? -1 : view.table.find(column, key);
        if (place >= 0) view.show(place);
      });
    });
  },
};
