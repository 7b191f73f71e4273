// The card beside the pointer or the point in focus. Text nodes only: names are untrusted.
xsp.figureCard = function (box) {
  const card = document.createElement("div");
  card.className = "xsp-card";
  card.hidden = true;
  card.setAttribute("aria-hidden", "true"); // the live text says the same
  box.append(card);

  function lineOf(line) {
    const row = document.createElement("div");
    if (!Array.isArray(line)) {
      row.className = "xsp-card-name";
      row.textContent = xsp.figureText.shown(line);
      return row;
    }
    const name = document.createElement("span");
    name.className = "xsp-card-label";
    name.textContent = line[0];
    const value = document.createElement("span");
    value.className = "xsp-card-value";
    value.textContent = xsp.figureText.shown(line[1]);
    row.className = "xsp-card-row";
    row.append(name, value);
    return row;
  }

  return {
    // At a place of the canvas, in pixels. lines: a text, or [name, value] each.
    show(x, y, lines) {
      card.replaceChildren(...lines.map(lineOf));
      card.hidden = false;
      const room = box.clientWidth - card.offsetWidth;
      const right = x + 14;
      const left = right <= room ? right : x - card.offsetWidth - 14;
      card.style.left = `${Math.max(0, Math.min(room, left))}px`;
      card.style.top = `${Math.max(0, Math.min(box.clientHeight - card.offsetHeight, y + 14))}px`;
    },
    hide() {
      card.hidden = true;
    },
  };
};
