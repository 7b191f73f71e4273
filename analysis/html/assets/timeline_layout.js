// Where the lanes of a part stand, from the top: a head for each process, lanes below it. A lane that is closed shows
// its first row, the outermost slices.
xsp.timelineLayout = function (model) {
  const kRow = 17;
  const kClosedRow = 9;
  const kGap = 5;
  const kHead = 20;
  const closedLanes = new Set();
  const closedProcesses = new Set();
  let part = model.startPart;
  let items = []; // of the part: {head: process} or {lane}, with y and height
  let itemOfLane = new Map();
  let height = 0;

  // Python's functions are deep and mostly above everything else.
  for (const lane of model.lanes) {
    if (lane.kind === "python" || (lane.kind === "other" && lane.rows.length < 2)) closedLanes.add(lane.index);
  }

  function arrange() {
    items = [];
    itemOfLane = new Map();
    let y = 0;
    if (model.parts.length === 0) return;
    const [first, end] = model.parts[part].lanes;
    let process = -1;
    for (let i = first; i < end; ++i) {
      const lane = model.lanes[i];
      if (lane.process !== process) {
        process = lane.process;
        items.push({ head: process, y, height: kHead, isOpen: !closedProcesses.has(process) });
        y += kHead;
      }
      if (closedProcesses.has(process)) continue;
      const isOpen = !closedLanes.has(i);
      const rows = Math.max(isOpen ? lane.rows.length : 1, 1);
      const rowHeight = isOpen ? kRow : kClosedRow;
      const item = { lane, y, rows, rowHeight, isOpen, height: Math.max(rows * rowHeight + kGap, 16) };
      items.push(item);
      itemOfLane.set(i, item);
      y += item.height;
    }
    height = y;
  }

  arrange();
  return {
    part: () => part,
    setPart(newPart) {
      part = newPart;
      arrange();
    },
    height: () => height,
    length: () => (model.parts.length === 0 ? 1 : model.parts[part].length),
    // What lies between two heights.
    within: (top, bottom) => items.filter((item) => item.y < bottom && item.y + item.height > top),
    itemAt: (y) => items.find((item) => y >= item.y && y < item.y + item.height),
    itemOfLane: (lane) => itemOfLane.get(lane),
    toggle(item) {
      const [set, key] = item.lane ? [closedLanes, item.lane.index] : [closedProcesses, item.head];
      if (!set.delete(key)) set.add(key);
      arrange();
    },
    // Opens what hides a slice, and its top and height; -1 where its part is another one.
    reveal(slice) {
      const lane = model.lanes[model.laneOf[slice]];
      if (lane.part !== part) this.setPart(lane.part);
      const hidden = closedProcesses.delete(lane.process);
      const row = model.rowOf[slice];
      const closed = row > 0 && closedLanes.delete(lane.index);
      if (hidden || closed) arrange();
      const item = itemOfLane.get(lane.index);
      return { y: item.y + row * item.rowHeight, height: item.rowHeight };
    },
    // Top of a slice; of one in a closed lane or process that of what stands for it. null: in another part.
    place(slice) {
      const lane = model.lanes[model.laneOf[slice]];
      if (lane.part !== part) return null;
      const item = itemOfLane.get(lane.index);
      if (item === undefined) {
        const head = items.find((other) => other.head === lane.process);
        return head ? { y: head.y, height: head.height } : null;
      }
      const row = Math.min(model.rowOf[slice], item.rows - 1);
      return { y: item.y + row * item.rowHeight, height: item.rowHeight - 1 };
    },
  };
};
