// The icicle: xsp.icicle.attach(section, data). A click or Enter goes into a part and selects it in the page, Backspace
// or Escape goes up again, arrows walk: down to the longest child, up to the parent, left and right to siblings.
//
// What is shown stands in data attributes of the section: data-measure, data-root (a node's number), data-parts (drawn),
// data-matches and data-match-time (of the search, ms).
xsp.icicle = (function () {
  const kRow = 22; // pixels
  const kTextFrom = 26; // a narrower part has no text
  const { number, quantity, shown } = xsp.figureText;
  const words = { model: "model", type: "layer type", layer: "layer", call: "library call", kernel: "kernel", rest: "merged" };
  const counted = { type: "layers", call: "calls", kernel: "kernels", layer: "times" };

  const percent = (part, whole) => (whole > 0 ? `${number((100 * part) / whole)} %` : "–");

  function attach(section, data) {
    if (data.measures === undefined || data.measures.length === 0) return null;
    const tree = xsp.icicleTree(data);
    const controls = xsp.icicleControls(section, data, { measure: setMeasure, search: setSearch, go });
    const { box, items } = controls;
    const card = xsp.figureCard(box);
    let measure = data.measures[0].id;
    let root = tree.root;
    let focus = tree.root;
    let found = { matches: new Set(), time: 0 };
    let query = "";

    const timeOf = (node) => tree.timeOf(node, measure);

    function linesOf(node) {
      const lines = [node.name, ["what", words[node.kind]], ["time", quantity(timeOf(node), "ms")]];
      if (node.parent !== null) lines.push([`share of ${words[node.parent.kind]}`, percent(timeOf(node), timeOf(node.parent))]);
      lines.push(["share of all", percent(timeOf(node), timeOf(tree.root))]);
      const own = timeOf(node) - node.children.reduce((sum, child) => sum + timeOf(child), 0);
      if (node.children.length > 0 && own > 0) lines.push(["outside its parts", quantity(own, "ms")]);
      if (counted[node.kind] !== undefined) lines.push([counted[node.kind], number(node.count)]);
      if (node.layer !== null && node.kind !== "layer") lines.push(["layer", String(node.layer)]);
      for (const other of data.measures) {
        if (other.id !== measure && node[other.id] > 0) lines.push([other.name, quantity(node[other.id], "ms")]);
      }
      return lines;
    }

    const sentence = (lines) => lines.map((line) => (Array.isArray(line) ? `${line[0]} ${line[1]}` : line)).join(", ");

    function itemOf(part) {
      const item = document.createElement("div");
      const { node } = part;
      item.style.left = `${part.x}px`;
      item.style.top = `${part.row * kRow}px`;
      item.style.width = `${Math.max(1, part.width - 0.5)}px`;
      if (node === null) {
        item.className = "xsp-icicle-part xsp-icicle-narrow";
        const lines = [`${part.narrow} narrower parts`, ["time", quantity(part.time, "ms")], ["share of all", percent(part.time, timeOf(tree.root))]];
        item.addEventListener("pointermove", (event) => showCard(event, lines));
        item.addEventListener("click", () => go(part.parent));
        return item;
      }
      item.className = `xsp-icicle-part xsp-icicle-${node.kind}`;
      item.id = `xsp-icicle-${node.id}`;
      item.dataset.node = node.id;
      item.setAttribute("role", "treeitem");
      item.setAttribute("aria-level", String(part.row + 1));
      item.setAttribute("aria-label", `${shown(node.name)}, ${quantity(timeOf(node), "ms")}, ${percent(timeOf(node), timeOf(tree.root))}`);
      item.classList.toggle("xsp-icicle-held", tree.holds(node));
      item.classList.toggle("xsp-icicle-match", found.matches.has(node));
      item.classList.toggle("xsp-icicle-focus", node === focus);
      if (part.width >= kTextFrom) item.textContent = shown(node.name);
      return item;
    }

    function showCard(event, lines) {
      const place = box.getBoundingClientRect();
      card.show(event.clientX - place.left, event.clientY - place.top, lines);
    }

    function draw() {
      const layout = xsp.icicleLayout(tree, root, measure, Math.max(50, items.clientWidth));
      items.replaceChildren(...layout.parts.map(itemOf));
      items.style.height = `${layout.rows * kRow}px`;
      items.classList.toggle("xsp-icicle-searched", query !== "");
      items.setAttribute("aria-activedescendant", `xsp-icicle-${focus.id}`);
      const said = [];
      if (layout.deeper > 0) said.push(`${layout.deeper} parts lie too deep to be drawn: go into a part to see them.`);
      controls.update({
        measure,
        path: tree.pathOf(root),
        note: said.join(" "),
        search: query === "" ? "" : `${found.matches.size} parts, ${quantity(found.time, "ms")}, ${percent(found.time, timeOf(tree.root))} of all`,
      });
      Object.assign(section.dataset, {
        measure,
        root: String(root.id),
        parts: String(layout.parts.length),
        matches: String(found.matches.size),
        matchTime: String(found.time),
      });
    }

    // Into a node, or up to it. What has no parts is shown in its parent.
    function go(node) {
      root = tree.children(node, measure).length > 0 || node.parent === null ? node : node.parent;
      focus = node;
      card.hide();
      draw();
      controls.say(sentence(linesOf(node)));
    }

    function select(node) {
      const by = tree.selectsBy(node);
      if (by === null) return;
      const { facet, value } = xsp.selection.current();
      if (facet !== by || value !== node.facets[by]) xsp.selection.toggle(node.facets, by, section);
    }

    function setMeasure(id) {
      measure = id;
      while (timeOf(root) === 0 && root.parent !== null) root = root.parent;
      focus = root;
      found = tree.search(query, measure);
      draw();
    }

    function setSearch(text) {
      query = text.trim();
      found = tree.search(query, measure);
      draw();
    }

    function walk(node) {
      if (node === undefined || node === null) return;
      focus = node;
      // Above the root there is nothing to see: one goes up with the focus.
      if (!tree.pathOf(node).includes(root)) root = node;
      draw();
      const item = document.getElementById(`xsp-icicle-${node.id}`);
      if (item === null) {
        // Too narrow here.
        root = node.parent;
        draw();
      }
      const place = document.getElementById(`xsp-icicle-${node.id}`);
      if (place !== null) card.show(place.offsetLeft, place.offsetTop + kRow, linesOf(node));
      controls.say(sentence(linesOf(node)));
    }

    function sibling(step) {
      if (focus.parent === null) return null;
      const all = tree.children(focus.parent, measure);
      return all[all.indexOf(focus) + step];
    }

    function pressed(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const keys = {
        ArrowDown: () => walk(tree.children(focus, measure)[0]),
        ArrowUp: () => walk(focus.parent),
        ArrowLeft: () => walk(sibling(-1)),
        ArrowRight: () => walk(sibling(1)),
        Home: () => walk(tree.root),
        Enter: () => (select(focus), go(focus)),
        " ": () => select(focus),
        Backspace: () => go(root.parent || root),
        Escape: () => (root.parent === null ? xsp.selection.clear(section) : go(root.parent)),
      };
      if (keys[event.key] === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      keys[event.key]();
    }

    items.addEventListener("click", (event) => {
      const item = event.target.closest("[data-node]");
      if (item === null) return;
      const node = tree.nodes[Number(item.dataset.node)];
      select(node);
      go(node === root && root.parent !== null ? root.parent : node);
    });
    items.addEventListener("pointermove", (event) => {
      const item = event.target.closest("[data-node]");
      if (item !== null) showCard(event, linesOf(tree.nodes[Number(item.dataset.node)]));
    });
    items.addEventListener("pointerleave", () => card.hide());
    items.addEventListener("blur", () => card.hide());
    items.addEventListener("keydown", pressed);
    xsp.selection.listen(draw);
    let width = 0;
    new ResizeObserver(() => {
      if (items.clientWidth === width) return;
      width = items.clientWidth;
      draw();
    }).observe(items);
    draw();
    return { tree, go };
  }

  return { attach };
})();
