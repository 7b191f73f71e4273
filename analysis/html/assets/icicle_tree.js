// The tree of an icicle out of its columns (doc/html.md): nodes with their children by time, and what each is of.
xsp.icicleTree = function (data) {
  const columns = data.nodes;
  const nodes = columns.kind.map((kind, id) => ({
    id,
    kind: data.kinds[kind],
    parent: null,
    name: data.texts[columns.name[id]],
    latency: columns.latency[id],
    kernel: columns.kernel[id],
    layer: columns.layer[id],
    count: columns.count[id],
    depth: 0,
    children: [],
    facets: {},
  }));

  // Parents come before their children, which have what these are of too.
  function facetsOf(node) {
    const facets = { ...node.parent.facets };
    if (node.kind === "type") facets.type = node.name;
    if (node.layer !== null) facets.layer = node.layer;
    if (node.kind === "call") facets.function = node.name;
    if (node.kind === "kernel") facets.kernel = node.name;
    return facets;
  }

  nodes.forEach((node, id) => {
    if (id === 0) return;
    node.parent = nodes[columns.parent[id]];
    node.parent.children.push(node);
    node.depth = node.parent.depth + 1;
    node.facets = facetsOf(node);
  });

  return {
    nodes,
    root: nodes[0],
    // In ms; 0: it has no time by this measure, and is not drawn.
    timeOf: (node, measure) => node[measure] || 0,
    children: (node, measure) =>
      node.children.filter((child) => child[measure] > 0).sort((a, b) => b[measure] - a[measure]),
    // From the whole down to the node.
    pathOf(node) {
      const path = [];
      for (let at = node; at !== null; at = at.parent) path.unshift(at);
      return path;
    },
    // By which facet a node selects; null: by none.
    selectsBy: (node) => ({ type: "type", layer: node.layer === null ? null : "layer", call: "function", kernel: "kernel" })[node.kind] || null,
    // Whether a node is part of what the page has selected. An execution or a call by itself is no node: what has its
    // name in its layer is.
    holds(node) {
      const { facet, value } = xsp.selection.current();
      if (facet !== "execution" && facet !== "call") return xsp.selection.holds(node.facets);
      const of = xsp.facets.ofRow(facet === "execution" ? "A8" : "C1", value);
      const name = facet === "execution" ? "kernel" : "function";
      if (of[name] === undefined || node.facets[name] !== of[name]) return false;
      return of.layer === undefined || node.facets.layer === of.layer;
    },
    // The outermost nodes whose name has `text` in it, and their time together.
    search(text, measure) {
      const wanted = text.toLowerCase();
      const matches = new Set();
      let time = 0;
      const visit = (node, inside) => {
        const is = node.kind !== "rest" && node[measure] > 0 && node.name.toLowerCase().includes(wanted);
        if (is) matches.add(node);
        if (is && !inside) time += node[measure];
        for (const child of node.children) visit(child, inside || is);
      };
      if (wanted !== "") visit(nodes[0], false);
      return { matches, time };
    },
  };
};
