// The list of contents tells where the reader is.
xsp.contents = (function () {
  let current = null; // section
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

  return {
    attach(list, sections) {
      for (const section of sections) {
        const link = list.querySelector(`a[href="#${CSS.escape(section.id)}"]`);
        if (link !== null) links.set(section, link);
      }
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
