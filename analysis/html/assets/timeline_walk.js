// From one slice to another: along a lane, up and down, over a launch, from evaluation to evaluation.
xsp.timelineWalk = function (model, layout, view) {
  const kDeeper = ["application", "model", "module", "layer", "operator", "library", "runtime", "stream", "other", "python"];

  // The slice nearest to the middle of what is in sight: a model, else a layer, else of the first lane that has any.
  function start() {
    const middle = (view.begin() + view.end()) / 2;
    const lanes = layout.within(0, Infinity).filter((item) => item.lane && item.lane.rows.length > 0);
    const wanted = (kind) => lanes.find((item) => item.lane.kind === kind);
    const item = wanted("model") || wanted("layer") || lanes[0];
    return item ? model.sliceAt(item.lane.rows[0], middle, Infinity) : -1;
  }

  // Begins before, or with it and above it: the order in which a lane is read.
  const comesBefore = (a, b) =>
    model.begin[a] < model.begin[b] || (model.begin[a] === model.begin[b] && model.rowOf[a] < model.rowOf[b]);

  function neighbour(slice, direction) {
    let best = -1;
    for (const row of model.lanes[model.laneOf[slice]].rows) {
      let at = model.firstBeginningFrom(row.first, row.end, model.begin[slice]);
      if (direction < 0) --at;
      else while (at < row.end && !comesBefore(slice, at)) ++at;
      if (direction < 0 && at + 1 < row.end && comesBefore(at + 1, slice)) ++at;
      if (at < row.first || at >= row.end || at === slice) continue;
      if (best < 0 || comesBefore(best, at) === direction < 0) best = at;
    }
    return best;
  }

  function firstOf(slices) {
    let best = -1;
    for (const slice of slices) if (best < 0 || model.begin[slice] < model.begin[best]) best = slice;
    return best;
  }

  return {
    start, neighbour,
    up: (slice) => model.parent[slice],
    // The first slice inside, of the level next below.
    down(slice) {
      const children = model.childrenOf(slice);
      const kind = kDeeper.find((own) => children.some((child) => model.lanes[model.laneOf[child]].kind === own));
      return firstOf(children.filter((child) => model.lanes[model.laneOf[child]].kind === kind));
    },
    // From a launch to what it started first, from that back; of any other slice to the first launch inside it.
    overLaunch(slice) {
      if (model.isDevice(slice)) return model.parent[slice];
      const open = [slice];
      const started = [];
      for (let i = 0; i < open.length; ++i) {
        for (const child of model.childrenOf(open[i])) (model.isDevice(child) ? started : open).push(child);
      }
      return firstOf(started);
    },
    endOfLane(slice, direction) {
      const row = model.lanes[model.laneOf[slice]].rows[0];
      return direction < 0 ? row.first : row.end - 1;
    },
    // The evaluation whose root begins next behind (or before) a time, in this part; -1: there is none.
    evaluation(time, direction) {
      const roots = [...model.evaluations.roots].filter((root) => model.partOf(root) === layout.part());
      roots.sort((a, b) => model.begin[a] - model.begin[b]);
      if (roots.length === 0) return -1;
      if (direction < 0) return roots.filter((root) => model.begin[root] < time).pop() ?? roots[roots.length - 1];
      return roots.find((root) => model.begin[root] > time) ?? roots[0];
    },
  };
};
