// Starts the page: what comes near the view is made to work with, the rest stays as it came until then.
xsp.page = (function () {
  const kNear = "500px 0px";
  const root = document.documentElement;
  const attached = new Map(); // section: promise

  // Where a part cannot be worked with, it says so, and what it was before is still there.
  function failed(place, error) {
    place.append(
      xsp.element("p", { className: "failed", textContent: `This part is static: ${error.message}.` }),
    );
    // Errors of the page's data are sentences for the reader; others are ours.
    if (Object.getPrototypeOf(error) !== Error.prototype) console.error(error);
  }

  async function attempt(place, work) {
    try {
      await work();
    } catch (error) {
      failed(place, error);
    }
  }

  async function attachAnalysis(section) {
    await xsp.data.get("tables"); // figures need the facets too
    for (const element of section.querySelectorAll("table[data-table]")) {
      const id = element.dataset.table;
      const table = xsp.tables.of(id);
      if (table === undefined) continue;
      await attempt(element.closest(".rows").parentElement, () => xsp.tableView.attach(section, id, table));
    }
    const pictures = section.querySelectorAll("figure[data-figure]");
    if (pictures.length === 0 || xsp.figures === undefined || !xsp.data.has("figures")) return;
    const figures = await xsp.data.get("figures");
    for (const element of pictures) {
      const figure = figures[element.dataset.figure];
      if (figure !== undefined) await attempt(element, () => xsp.figures.attach(element, figure));
    }
  }

  async function attachLanes(section, drawing) {
    if (drawing === undefined || !xsp.data.has(section.id)) return;
    await xsp.data.get("tables"); // what is selected is said in their facets
    const data = await xsp.data.get(section.id);
    await drawing.attach(section, data);
    section.classList.add("attached");
  }

  function workOf(section) {
    if (section.id === "overview") return () => xsp.overview.attach(section, reveal);
    if (section.id === "timeline") return () => attachLanes(section, xsp.timeline);
    if (section.id === "icicle") return () => attachLanes(section, xsp.icicle);
    return () => attachAnalysis(section);
  }

  function attach(section) {
    if (!attached.has(section)) attached.set(section, attempt(section, workOf(section)));
    return attached.get(section);
  }

  // The section of a table, ready to work with.
  function reveal(id) {
    const section = document.getElementById(id);
    return section === null ? Promise.resolve() : attach(section.closest("main > section"));
  }

  // After the first sections in view have been attached the page answers to its reader.
  function ready() {
    if (root.dataset.ready === "yes") return;
    performance.mark("xsp-interactive");
    root.dataset.ready = "yes";
    // So that it is quick to come to the next section.
    if (xsp.data.has("tables")) setTimeout(() => xsp.data.get("tables").catch(() => {}), 0);
  }

  function attachInView(sections) {
    const observer = new IntersectionObserver(
      async (entries) => {
        const near = entries.filter((entry) => entry.isIntersecting).map((entry) => entry.target);
        for (const section of near) observer.unobserve(section);
        await Promise.all(near.map(attach));
        ready();
      },
      { rootMargin: kNear },
    );
    for (const section of sections) observer.observe(section);
  }

  async function start() {
    root.classList.add("scripted");
    const sections = [...document.querySelectorAll("main > section")];
    const contents = document.getElementById("contents");
    const theme = document.getElementById("theme");
    if (theme !== null) await attempt(theme, () => xsp.themeControl(theme));
    if (contents !== null) await attempt(contents, () => xsp.contents.attach(contents, sections));
    xsp.keys.attach();
    if (typeof DecompressionStream === "undefined") {
      const overview = document.getElementById("overview");
      failed(overview, new Error("this browser has no DecompressionStream; Chrome 80, Firefox 113 and Safari 16.4 have"));
      return ready();
    }
    return attachInView(sections);
  }

  return { start };
})();

xsp.page.start();
