// The data of the timeline, decoded, and what can be asked of it. A slice is a number. Those of a lane's row follow one
// another and never overlap, so that everything in a row is found by halving.
xsp.timelineModel = function (data) {
  const columns = data.slices;
  const count = columns.count;
  const begin = new Float64Array(count); // ns behind the begin of the part
  const end = new Float64Array(count);
  const passed = new Float64Array(count + 1); // sum of the durations of all slices before
  const laneOf = new Int32Array(count);
  const rowOf = new Int32Array(count); // of the lane
  const parent = new Int32Array(count);
  const column = (name) => (columns[name] ? Int32Array.from(columns[name]) : new Int32Array(count).fill(-1));
  const name = column("name");
  const detail = column("detail");
  const kind = column("kind");
  const type = column("type");
  const layer = column("layer");
  const execution = column("execution");
  const call = column("call");
  const evaluation = column("evaluation");
  const launchedBefore = new Map(); // slices whose launch is not drawn singly: ns since it began
  const kKernel = 13;
  let children = null; // {first, list}: of slice i list[first[i]] up to list[first[i + 1]]

  function laneLabel(lane) {
    // Iterations as evaluations (--model-span iterations) are of no thread.
    const thread = lane.thread === 0 ? "no thread" : `thread ${lane.thread}`;
    if (lane.stream === undefined) return { what: lane.kind, where: thread, short: lane.kind };
    const number = `${lane.device} · ${lane.stream}`;
    if (lane.kind === "stream") return { what: "stream", where: `GPU ${number}`, short: `GPU ${number}` };
    return { what: "sync, memory", where: `GPU ${number}`, short: `sync ${number}` };
  }

  const parts = data.parts.map((part) => ({ label: part.label, length: Math.max(part.length, 1), bin: part.bin, lanes: part.lanes }));
  let next = 0;
  const lanes = data.lanes.map((lane, index) => {
    const own = { ...lane, index, ...laneLabel(lane), part: parts.findIndex((part) => index < part.lanes[1]) };
    own.rows = lane.rows.map((length, row) => {
      const first = next;
      let last = 0;
      for (; next < first + length; ++next) {
        begin[next] = last + columns.gap[next];
        end[next] = last = begin[next] + columns.duration[next];
        passed[next + 1] = passed[next] + columns.duration[next];
        laneOf[next] = index;
        rowOf[next] = row;
        parent[next] = columns.parent[next] === 0 ? -1 : next - columns.parent[next];
      }
      return { first, end: next };
    });
    let bin = 0;
    own.shade = (lane.shade_bins || []).map((distance, i) => {
      bin += distance;
      return { bin: bin++, ns: lane.shade_ns[i] };
    });
    return own;
  });
  let launched = 0;
  (columns.launched || []).forEach((distance, i) => {
    launched += distance;
    launchedBefore.set(launched, columns.launched_ns[i]);
  });

  function findChildren() {
    const first = new Int32Array(count + 1);
    for (let i = 0; i < count; ++i) if (parent[i] >= 0) ++first[parent[i] + 1];
    for (let i = 0; i < count; ++i) first[i + 1] += first[i];
    const list = new Int32Array(first[count]);
    const at = first.slice();
    for (let i = 0; i < count; ++i) if (parent[i] >= 0) list[at[parent[i]]++] = i;
    children = { first, list };
  }

  // The first slice from `first` up to `last` that ends behind a time; `last` when there is none.
  function firstEndingAfter(first, last, time) {
    while (first < last) {
      const middle = (first + last) >> 1;
      if (end[middle] > time) last = middle;
      else first = middle + 1;
    }
    return first;
  }

  function firstBeginningFrom(first, last, time) {
    while (first < last) {
      const middle = (first + last) >> 1;
      if (begin[middle] >= time) last = middle;
      else first = middle + 1;
    }
    return first;
  }

  const isDevice = (slice) => lanes[laneOf[slice]].stream !== undefined;
  const isCall = (slice) => lanes[laneOf[slice]].kind === (data.runtime_calls ? "runtime" : "library");
  const text = (id) => (id < 0 ? "" : data.texts[id]);

  function facetsOf(slice) {
    const facets = {};
    if (layer[slice] >= 0) facets.layer = layer[slice];
    if (type[slice] >= 0) facets.type = text(type[slice]);
    if (kind[slice] === kKernel) facets.kernel = text(name[slice]);
    if (execution[slice] >= 0) facets.execution = execution[slice];
    if (call[slice] >= 0) facets.call = call[slice];
    if (isCall(slice)) facets.function = text(name[slice]);
    return facets;
  }

  function namedWith(value) {
    const found = new Set();
    data.texts.forEach((own, id) => {
      if (own === value) found.add(id);
    });
    return found;
  }

  // Of a name a cheap test for each slice.
  function testOf(facet, value) {
    if (facet === "layer") return (slice) => layer[slice] === value;
    if (facet === "execution") return (slice) => execution[slice] === value;
    if (facet === "call") return (slice) => call[slice] === value;
    const ids = namedWith(value);
    if (facet === "type") return (slice) => ids.has(type[slice]);
    if (facet === "kernel") return (slice) => kind[slice] === kKernel && ids.has(name[slice]);
    if (facet === "function") return (slice) => isCall(slice) && ids.has(name[slice]);
    return () => false;
  }

  function filter(test) {
    const found = [];
    for (let i = 0; i < count; ++i) if (test(i)) found.push(i);
    return Int32Array.from(found);
  }

  return {
    count, parts, lanes, begin, end, passed, laneOf, rowOf, parent, kind, detail, layer, evaluation,
    processes: data.processes,
    evaluations: { count: data.evaluations.count, roots: Int32Array.from(data.evaluations.root) },
    startPart: data.start_part,
    iterations: data.iterations || null, // {part, begin}: where the times of D1 count from
    isWhole: data.spans === count, // every span is a slice
    cutTexts: data.cut_texts,
    isDevice, facetsOf, firstEndingAfter, firstBeginningFrom,
    partOf: (slice) => lanes[laneOf[slice]].part,
    duration: (slice) => end[slice] - begin[slice],
    nameOf: (slice) => text(name[slice]) || "(no name)",
    nameIdOf: (slice) => name[slice],
    typeIdOf: (slice) => type[slice],
    detailOf: (slice) => text(detail[slice]),
    launchedBefore: (slice) => launchedBefore.get(slice),
    rowOfSlice: (slice) => lanes[laneOf[slice]].rows[rowOf[slice]],
    childrenOf(slice) {
      if (children === null) findChildren();
      return children.list.subarray(children.first[slice], children.first[slice + 1]);
    },
    // Slices with a facet, and those whose name contains a text, in order of their numbers.
    withFacet: (facet, value) => filter(testOf(facet, value)),
    withName(part) {
      const wanted = part.toLowerCase();
      const ids = new Set();
      data.texts.forEach((own, id) => {
        if (own.toLowerCase().includes(wanted)) ids.add(id);
      });
      return filter((slice) => ids.has(name[slice]));
    },
    // The slice of a row at a time, or the nearest one no farther than `slack`; -1: none.
    sliceAt(row, time, slack) {
      const at = firstEndingAfter(row.first, row.end, time);
      if (at < row.end && begin[at] <= time) return at;
      const before = at > row.first ? time - end[at - 1] : Infinity;
      const behind = at < row.end ? begin[at] - time : Infinity;
      if (Math.min(before, behind) > slack) return -1;
      return before < behind ? at - 1 : at;
    },
  };
};

// "1.234 ms": four digits, in a unit that fits.
xsp.timelineTime = function (ns) {
  const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]];
  for (const [size, unit] of units) {
    if (Math.abs(ns) >= size) return `${Number((ns / size).toPrecision(4))} ${unit}`;
  }
  return `${Math.round(ns)} ns`;
};
