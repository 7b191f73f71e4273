// What every drawn figure has around it: a canvas in place of the static svg (which stays for print), a toolbar with a
// PNG button, a legend, a card, live text for screen readers, and the note of what is not drawn.
//
// const frame = xsp.figureFrame(element, figure, {height: 320});
// frame.canvas            takes the focus; its text is the figure's finding
// frame.setHeight(px)     of the canvas, never more than the window
// frame.button(text, title, press), frame.toggle(text, title, pressed, change): in the toolbar
// frame.toolbar           for anything else, before the PNG button: frame.addTool(node)
// frame.legend([{name, color, shape: "square" | "line" | "dot", pressed, toggle(pressed)}])
// frame.card.show(x, y, lines), frame.card.hide(); frame.say(text); frame.setNote(text)
// frame.redraw(f)         f is called when colours change
xsp.figureFrame = function (element, figure, options) {
  const kLeastHeight = 120;
  const make = (tag, className) => {
    const made = document.createElement(tag);
    made.className = className;
    return made;
  };

  const drawing = make("div", "xsp-drawing");
  const toolbar = make("div", "xsp-tools");
  toolbar.setAttribute("role", "group");
  toolbar.setAttribute("aria-label", `${figure.title}: view`);
  const legend = make("div", "xsp-legend");
  const box = make("div", "xsp-canvas-box");
  const canvas = document.createElement("canvas");
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application"); // so that screen readers leave it its keys
  canvas.setAttribute("aria-roledescription", "figure");
  canvas.setAttribute("aria-label", `${figure.finding} Arrow keys go from point to point, Enter selects.`);
  const live = make("div", "xsp-live");
  live.setAttribute("aria-live", "polite");
  const note = make("p", "xsp-figure-note");
  box.append(canvas);
  drawing.append(toolbar, legend, box, note, live);

  const frame = {
    element,
    figure,
    box,
    canvas,
    toolbar,
    legendItems: [],
    card: xsp.figureCard(box),
    say(text) {
      live.textContent = text;
    },
    setHeight(pixels) {
      const most = Math.max(kLeastHeight, Math.round(window.innerHeight * 0.85));
      box.style.height = `${Math.min(Math.max(kLeastHeight, pixels), most)}px`;
    },
    // What is left out or merged in the drawing. What is left out of the figure stands beside it.
    setNote(text) {
      note.textContent = text;
      note.hidden = note.textContent === "";
    },
    addTool(node) {
      toolbar.insertBefore(node, png);
      return node;
    },
    button(text, title, press) {
      return frame.addTool(buttonOf(text, title, press));
    },
    toggle(text, title, pressed, change) {
      const made = buttonOf(text, title, () => {
        const now = made.getAttribute("aria-pressed") !== "true";
        made.setAttribute("aria-pressed", String(now));
        change(now);
      });
      made.setAttribute("aria-pressed", String(pressed));
      return frame.addTool(made);
    },
    legend(items) {
      frame.legendItems = items;
      legend.hidden = items.length === 0;
      legend.replaceChildren(...items.map(legendItem));
    },
    redraw(draw) {
      xsp.theme.listen(() => {
        for (const item of frame.legendItems) if (item.recolor) item.color = item.recolor();
        frame.legend(frame.legendItems);
        draw();
      });
    },
  };

  function buttonOf(text, title, press) {
    const made = make("button", "xsp-tool");
    made.type = "button";
    made.textContent = text;
    made.title = title;
    made.addEventListener("click", press);
    return made;
  }

  function legendItem(item) {
    const swatch = make("span", `xsp-swatch xsp-swatch-${item.shape || "square"}`);
    swatch.style.setProperty("--swatch", item.color);
    const name = make("span", "xsp-legend-name");
    name.textContent = xsp.figureText.shown(item.name);
    const made = make(item.toggle ? "button" : "span", "xsp-legend-item");
    made.append(swatch, name);
    if (item.toggle) {
      made.type = "button";
      made.setAttribute("aria-pressed", String(item.pressed !== false));
      made.addEventListener("click", () => {
        item.pressed = made.getAttribute("aria-pressed") !== "true";
        made.setAttribute("aria-pressed", String(item.pressed));
        item.toggle(item.pressed);
      });
    }
    return made;
  }

  const png = buttonOf("PNG", "Save this figure as a picture", () => xsp.figurePng.save(frame));
  toolbar.append(png);
  frame.setHeight((options && options.height) || 320);
  frame.setNote("");
  legend.hidden = true;
  const still = element.querySelector(":scope > svg");
  if (still === null) {
    element.append(drawing);
  } else {
    still.classList.add("xsp-still");
    still.after(drawing);
  }
  return frame;
};
