// Which slices stand out: those of the page's selection, those that a search found, and what belongs to the slice that
// is selected here. While any are marked the others are dimmed.
xsp.timelineMarks = function (model) {
  const kMostArrows = 400;
  const none = new Int32Array(0);
  let selected = -1;
  let related = none;
  let ofFacet = none;
  let found = none;
  let marked = none; // all of them, in order
  let arrows = []; // [launch, kernel]
  let below = { kernels: 0, ns: 0 }; // what the selected slice launched, itself or in what lies in it

  function merge() {
    marked = Int32Array.from(new Set([...related, ...ofFacet, ...found])).sort();
  }

  function addLaunches(slice) {
    for (const child of model.childrenOf(slice)) {
      if (!model.isDevice(child)) continue;
      ++below.kernels;
      below.ns += model.duration(child);
      if (arrows.length < kMostArrows) arrows.push([slice, child]);
    }
  }

  // Ancestors, everything inside, and both ends of launches.
  function relate() {
    arrows = [];
    below = { kernels: 0, ns: 0 };
    if (selected < 0) {
      related = none;
      return merge();
    }
    const all = new Set([selected]);
    const above = model.parent[selected];
    if (model.isDevice(selected) && above >= 0) arrows.push([above, selected]);
    for (let slice = above; slice >= 0 && !all.has(slice); slice = model.parent[slice]) all.add(slice);
    const open = [selected];
    const seen = new Set(open);
    while (open.length > 0) {
      const slice = open.pop();
      all.add(slice);
      addLaunches(slice);
      for (const child of model.childrenOf(slice)) {
        if (seen.has(child)) continue;
        seen.add(child);
        open.push(child);
      }
    }
    related = Int32Array.from(all);
    merge();
  }

  const sum = (slices) => slices.reduce((ns, slice) => ns + model.duration(slice), 0);

  return {
    selected: () => selected,
    select(slice) {
      selected = slice;
      relate();
    },
    setFacet(facet, value) {
      ofFacet = facet === null ? none : model.withFacet(facet, value);
      merge();
    },
    setFound(slices) {
      found = slices;
      merge();
    },
    ofFacet: () => ofFacet,
    found: () => found,
    marked: () => marked,
    arrows: () => arrows,
    below: () => below,
    sum,
    isFound: (slice) => contains(found, slice),
  };

  function contains(slices, slice) {
    let first = 0;
    let last = slices.length;
    while (first < last) {
      const middle = (first + last) >> 1;
      if (slices[middle] < slice) first = middle + 1;
      else last = middle;
    }
    return slices[first] === slice;
  }
};
