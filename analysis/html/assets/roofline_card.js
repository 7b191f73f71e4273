// What a card says of a point: its cells in the table, where the page holds them, and its share of the time.
xsp.rooflineCard = function (figure) {
  const { number, quantity } = xsp.figureText;
  const names = { A9: "kernel_name", A14: "layer_name", A15: "model", M1: "name" };
  const listed = new Map(figure.listed.map((item) => [item.row, item.name]));
  let counts; // of A9: executions by name

  function cellOf(row, name) {
    const table = xsp.tables === undefined ? undefined : xsp.tables.of(figure.table);
    const place = table === undefined ? -1 : table.placeOf(row);
    const column = place < 0 ? -1 : table.columnNamed(name);
    return column < 0 ? null : table.cell(place, column);
  }

  function countOf(row) {
    const count = cellOf(row, "kernel_count");
    if (count !== null || figure.table !== "A9") return count;
    const table = xsp.tables === undefined ? undefined : xsp.tables.of("A9");
    if (table === undefined) return null;
    if (counts === undefined) {
      counts = new Map();
      const column = table.columnNamed("kernel_name");
      for (let place = 0; place < table.length; ++place) {
        const name = table.cell(place, column);
        counts.set(name, (counts.get(name) || 0) + 1);
      }
    }
    return counts.get(cellOf(row, "kernel_name")) || null;
  }

  function nameOf(row) {
    const name = cellOf(row, names[figure.table]);
    if (name === null) return listed.get(row) || `row ${row + 1}`;
    const index = cellOf(row, "layer_index");
    const batch = cellOf(row, "batch_size");
    if (index !== null && figure.table === "A14") return `${index} ${name}`;
    return batch === null ? name : `${name}, batch size ${batch}`;
  }

  function lines(point) {
    const roof = figure.roofs.find((each) => each.name === point.roof);
    const cells = [
      ["intensity", quantity(point.x, "flop/B")],
      ["throughput", quantity(point.y, "TFLOPS")],
      ["data type", cellOf(point.row, "data_type") || point.roof || "not known"],
    ];
    const peak = roof ? roof.peak : cellOf(point.row, "peak_tflops");
    const bandwidth = roof ? roof.bandwidth_gbs : cellOf(point.row, "bandwidth_gbs");
    if (peak !== null && bandwidth !== null) cells.push(["roof", `${number(peak)} TFLOPS, ${number(bandwidth)} GB/s`]);
    const reached = cellOf(point.row, "pct_of_roof");
    if (reached !== null) cells.push(["of its roof", `${number(reached)} %`]);
    cells.push(["bound by", point.group.bound || "not known"]);
    const count = countOf(point.row);
    if (count !== null) cells.push([figure.table === "A9" ? "kernels of this name" : "kernels", number(count)]);
    cells.push(["time", quantity(point.size, "ms")]);
    if (figure.total > 0) cells.push(["share of all", `${number((100 * point.size) / figure.total)} %`]);
    cells.push(["flops and bytes by", point.group.source === "analytic" ? "arguments" : point.group.source || "not known"]);
    const flags = cellOf(point.row, "flags");
    if (flags) cells.push(["flags", flags]);
    return [nameOf(point.row), ...cells];
  }

  return { lines, nameOf };
};
