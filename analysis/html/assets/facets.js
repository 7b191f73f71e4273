// What a row of a table is of (doc/html.md): the packed table says which of its columns hold facets and by which of
// them it selects. Nothing is known before the tables are unpacked.
xsp.facets = (function () {
  const none = Object.freeze({});

  function tableOf(id) {
    const tables = xsp.data.now("tables");
    return tables === undefined ? undefined : tables[id];
  }

  return {
    // {layer: 17, type: "Conv2d"}; a cell that the trace could not give is no facet.
    ofRow(tableId, row) {
      const table = tableOf(tableId);
      const cells = table === undefined ? undefined : table.rows[row];
      if (cells === undefined || !table.facets) return none;
      const facets = {};
      for (const facet of Object.keys(table.facets)) {
        const value = cells[table.facets[facet]];
        if (value !== null && value !== undefined) facets[facet] = value;
      }
      return facets;
    },
    // The facet that a row of this table selects by; null: its rows select nothing.
    selectsBy(tableId) {
      const table = tableOf(tableId);
      return (table !== undefined && table.selects) || null;
    },
    // A click on a row, or on its point in a figure.
    toggleRow(tableId, row, source) {
      const by = this.selectsBy(tableId);
      if (by !== null) xsp.selection.toggle(this.ofRow(tableId, row), by, source);
    },
  };
})();
