// What a row of a table is of (doc/html.md): the packed table says which of its columns hold facets and by which of
// them it selects. Rows are numbers in the whole table. Nothing is known before the tables are unpacked.
xsp.facets = (function () {
  const none = Object.freeze({});

  function valueOf(table, place, column) {
    if (column === "row") return table.numberOf(place);
    if (!Array.isArray(column)) return table.cell(place, column);
    const values = column.map((one) => table.cell(place, one));
    return values.includes(null) ? null : values.join("/");
  }

  return {
    // {layer: 17, type: "Conv2d"}; a cell that the trace could not give is no facet.
    ofRow(tableId, row) {
      const table = xsp.tables.of(tableId);
      const place = table === undefined ? -1 : table.placeOf(row);
      if (place < 0 || !table.stored.facets) return none;
      const facets = {};
      for (const [facet, column] of Object.entries(table.stored.facets)) {
        const value = valueOf(table, place, column);
        if (value !== null) facets[facet] = value;
      }
      return facets;
    },
    // The facet that a row of this table selects by; null: its rows select nothing.
    selectsBy(tableId) {
      const table = xsp.tables.of(tableId);
      return (table !== undefined && table.stored.selects) || null;
    },
    // A click on a row, or on its point in a figure.
    toggleRow(tableId, row, source) {
      const by = this.selectsBy(tableId);
      if (by !== null) xsp.selection.toggle(this.ofRow(tableId, row), by, source);
    },
    // The places of the rows that are part of what is selected.
    placesHeld(table) {
      const places = [];
      const { facet, value } = xsp.selection.current();
      const column = facet === null || !table.stored.facets ? undefined : table.stored.facets[facet];
      if (column === undefined) return places;
      for (let place = 0; place < table.length; ++place) {
        if (valueOf(table, place, column) === value) places.push(place);
      }
      return places;
    },
  };
})();
