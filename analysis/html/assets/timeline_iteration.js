// Where the selected iteration lies in the timeline: {name, part, begin, end} in ns behind the begin of its part; null
// where D1 has no such row in the page.
xsp.timelineIteration = function (model) {
  const table = xsp.tables.of("D1");
  if (table === undefined || model.iterations === null) return null;
  const [place] = xsp.facets.placesHeld(table);
  if (place === undefined) return null;
  const at = (name) => table.cell(place, table.columnNamed(name));
  const ns = (name) => model.iterations.begin + at(name) * 1e6;
  const name = `iteration ${at("iteration")} of loop ${at("loop")}`;
  return { name, part: model.iterations.part, begin: ns("start_ms"), end: ns("end_ms") };
};
