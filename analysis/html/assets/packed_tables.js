// The tables of the page as stored, by column (doc/html.md). A place is where a row is stored, from 0; its number is
// what it is in the whole table, of which a page holds the first or the largest rows only where it is very long.
xsp.tables = (function () {
  class PackedTable {
    constructor(id, stored) {
      this.id = id;
      this.stored = stored;
      this.columns = stored.columns;
      this.length = stored.rows ? stored.rows.length : stored.count;
    }

    // Text, number, true, false, or null: what the trace cannot give.
    cell(place, column) {
      const { texts, values } = this.columns[column];
      const value = values[place];
      if (value === null || value === undefined) return null;
      return texts !== undefined && typeof value === "number" ? texts[value] : value;
    }

    columnNamed(name) {
      return this.columns.findIndex((column) => column.name === name);
    }

    numberOf(place) {
      return this.stored.rows ? this.stored.rows[place] : place;
    }

    // -1: the page does not hold this row.
    placeOf(number) {
      if (!this.stored.rows) return number < this.length ? number : -1;
      if (this.places === undefined) this.places = new Map(this.stored.rows.map((row, place) => [row, place]));
      return this.places.has(number) ? this.places.get(number) : -1;
    }

    // The first row whose `column` reads as `key`, as a finding names it; -1: none.
    find(column, key) {
      const at = this.columnNamed(column);
      for (let place = 0; at >= 0 && place < this.length; ++place) {
        const value = this.cell(place, at);
        if (value !== null && String(value) === key) return place;
      }
      return -1;
    }
  }

  const made = new Map();

  return {
    // Of "A2" or "L1.nested"; undefined before the tables are unpacked, and where the page has no such table.
    of(id) {
      if (!made.has(id)) {
        const stored = xsp.data.now("tables");
        if (stored === undefined || !Object.hasOwn(stored, id)) return undefined;
        made.set(id, new PackedTable(id, stored[id]));
      }
      return made.get(id);
    },
  };
})();
