// What is selected in the whole page: one facet, such as {layer: 17} or {kernel: "volta_sgemm_128x64"}. Rows, points and
// slices have facets too; what has the selected one with the same value is highlighted (doc/html.md).
const xsp = {};

xsp.selection = (function () {
  const listeners = [];
  let facet = null; // name, or null: nothing is selected
  let value = null;

  function set(newFacet, newValue, source) {
    if (facet === newFacet && value === newValue) return;
    facet = newFacet;
    value = newValue;
    for (const listener of listeners) listener(source);
  }

  return {
    // facets: what an item is, {layer: 17, type: "Conv2d"}; by: the facet that its owner selects by. The same again
    // takes the selection back. `source` tells listeners who did it, so that it does not scroll itself.
    toggle(facets, by, source) {
      if (facets[by] === undefined || facets[by] === null) return;
      if (facet === by && value === facets[by]) return set(null, null, source);
      set(by, facets[by], source);
    },
    clear(source) {
      set(null, null, source);
    },
    isEmpty: () => facet === null,
    // Whether an item is part of what is selected.
    holds: (facets) => facet !== null && facets[facet] === value,
    current: () => ({ facet, value }),
    listen(listener) {
      listeners.push(listener);
    },
  };
})();
