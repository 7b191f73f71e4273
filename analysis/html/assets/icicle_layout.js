// Where the parts of an icicle are: those below `root` that are wide enough, in pixels. Widths are time; what is narrower
// than a pixel stands together at the end of its siblings as one part {narrow: how many, time}.
xsp.icicleLayout = function (tree, root, measure, width) {
  const kNarrowest = 1;
  const kMostRows = 12;
  const parts = [];
  let deeper = 0; // parts below the last row
  let squeezed = 0; // parts whose children together take longer

  function below(node, x, wide, row) {
    const children = tree.children(node, measure);
    if (children.length === 0) return;
    if (row === kMostRows) {
      deeper += children.length;
      return;
    }
    const sum = children.reduce((all, child) => all + tree.timeOf(child, measure), 0);
    const whole = tree.timeOf(node, measure);
    if (sum > whole * 1.0005) ++squeezed;
    const scale = wide / Math.max(sum, whole);
    let left = x;
    let i = 0;
    for (; i < children.length; ++i) {
      const own = tree.timeOf(children[i], measure) * scale;
      if (own < kNarrowest) break;
      parts.push({ node: children[i], x: left, width: own, row });
      below(children[i], left, own, row + 1);
      left += own;
    }
    if (i === children.length) return;
    const time = children.slice(i).reduce((all, child) => all + tree.timeOf(child, measure), 0);
    parts.push({ node: null, parent: node, narrow: children.length - i, time, x: left, width: Math.max(1, time * scale), row });
  }

  parts.push({ node: root, x: 0, width, row: 0 });
  below(root, 0, width, 1);
  return { parts, rows: 1 + Math.max(...parts.map((part) => part.row)), deeper, squeezed };
};
