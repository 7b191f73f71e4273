// The list of contents leads to sections and tells where the reader is.
xsp.contents = (function () {
  const kFrames = 12;
  let current = null; // section
  let goal = null; // section that is being gone to
  let links = new Map(); // of its list, by section

  function mark(section) {
    if (section === current) return;
    if (current !== null && links.has(current)) links.get(current).removeAttribute("aria-current");
    current = section;
    const link = links.get(section);
    if (link === undefined) return;
    link.setAttribute("aria-current", "location");
    // Only the list moves, not the page.
    const list = link.closest("nav");
    const item = link.getBoundingClientRect();
    const room = list.getBoundingClientRect();
    if (item.top < room.top || item.bottom > room.bottom) list.scrollTop += item.top - room.top - room.height / 2;
    if (item.left < room.left || item.right > room.right) list.scrollLeft += item.left - room.left - 40;
  }

  // What comes into view is laid out and drawn only then, and may move the section: it is followed for some frames, unless
  // the reader goes on.
  function goTo(section) {
    goal = section;
    follow(section, kFrames);
  }

  function follow(section, framesLeft) {
    if (goal !== section) return;
    const margin = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
    if (Math.abs(section.getBoundingClientRect().top - margin) > 1) section.scrollIntoView({ block: "start" });
    if (framesLeft > 0) requestAnimationFrame(() => follow(section, framesLeft - 1));
    else goal = null;
  }

  function leave() {
    goal = null;
  }

  function clicked(event) {
    const link = event.target.closest("a");
    const section = link && document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (!section || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // The address changes by itself.
    requestAnimationFrame(() => goTo(section));
  }

  return {
    goTo,
    attach(list, sections) {
      for (const section of sections) {
        const link = list.querySelector(`a[href="#${CSS.escape(section.id)}"]`);
        if (link !== null) links.set(section, link);
      }
      list.addEventListener("click", clicked);
      for (const type of ["wheel", "touchmove", "keydown"]) addEventListener(type, leave, { passive: true });
      const inView = new Set();
      const observer = new IntersectionObserver(
        (entries) => {
          for (const entry of entries) {
            if (entry.isIntersecting) inView.add(entry.target);
            else inView.delete(entry.target);
          }
          const first = sections.find((section) => inView.has(section));
          if (first !== undefined) mark(first);
        },
        { rootMargin: "-15% 0px -70% 0px" },
      );
      for (const section of sections) observer.observe(section);
    },
    // The section that is being read; null before there is one.
    current: () => current,
  };
})();
