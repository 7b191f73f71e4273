// A figure as a PNG: title, legend, the canvas as it is now, and the note, on the paper of the theme.
xsp.figurePng = (function () {
  const kFont = "system-ui, sans-serif";
  const kMargin = 16;

  // Lines of at most `width` pixels; a word that is longer is a line by itself.
  function wrapped(context, text, width) {
    const lines = [];
    let line = "";
    for (const word of text.split(" ")) {
      const longer = line === "" ? word : `${line} ${word}`;
      if (line !== "" && context.measureText(longer).width > width) {
        lines.push(line);
        line = word;
      } else {
        line = longer;
      }
    }
    if (line !== "") lines.push(line);
    return lines;
  }

  // Places of the legend's items: {item, x, row}; a new row where the width ends.
  function places(context, items, width) {
    const found = [];
    let x = 0;
    let row = 0;
    for (const item of items) {
      const needed = 20 + context.measureText(item.name).width + 16;
      if (x > 0 && x + needed > width) {
        x = 0;
        ++row;
      }
      found.push({ item, x, row });
      x += needed;
    }
    return found;
  }

  function drawn(frame) {
    const source = frame.canvas;
    const scale = source.width / Math.max(1, source.clientWidth);
    const width = source.clientWidth;
    const page = document.createElement("canvas");
    const context = page.getContext("2d");
    context.font = `12px ${kFont}`;
    const shown = frame.legendItems.filter((item) => item.pressed !== false);
    const items = shown.map((item) => ({ ...item, name: xsp.figureText.shortened(xsp.figureText.shown(item.name), 60) }));
    const legend = places(context, items, width);
    const legendRows = legend.length === 0 ? 0 : legend[legend.length - 1].row + 1;
    const note = wrapped(context, frame.figure.note || "", width);
    context.font = `bold 15px ${kFont}`;
    const title = wrapped(context, xsp.figureText.shown(frame.figure.title), width);
    const top = kMargin + title.length * 20 + legendRows * 18 + 6;
    page.width = Math.round((width + 2 * kMargin) * scale);
    page.height = Math.round((top + source.clientHeight + note.length * 16 + kMargin) * scale);
    context.scale(scale, scale);
    context.fillStyle = xsp.theme.color("--xsp-paper");
    context.fillRect(0, 0, page.width, page.height);
    context.textBaseline = "top";
    context.fillStyle = xsp.theme.color("--xsp-ink");
    context.font = `bold 15px ${kFont}`;
    title.forEach((line, i) => context.fillText(line, kMargin, kMargin + 20 * i));
    context.font = `12px ${kFont}`;
    for (const { item, x, row } of legend) {
      const y = kMargin + title.length * 20 + row * 18;
      context.fillStyle = item.color;
      if (item.mark) item.mark(context, kMargin + x, y);
      else if (item.shape === "line") context.fillRect(kMargin + x, y + 6, 14, 3);
      else context.fillRect(kMargin + x, y + 1, 12, 12);
      context.fillStyle = xsp.theme.color("--xsp-ink");
      context.fillText(item.name, kMargin + x + 20, y);
    }
    context.drawImage(source, kMargin, top, width, source.clientHeight);
    context.fillStyle = xsp.theme.color("--xsp-quiet");
    note.forEach((line, i) => context.fillText(line, kMargin, top + source.clientHeight + 4 + 16 * i));
    return page;
  }

  return {
    drawn,
    save(frame) {
      drawn(frame).toBlob((blob) => {
        if (blob === null) return frame.say("the browser cannot make a picture of this size");
        const link = document.createElement("a");
        link.href = URL.createObjectURL(blob);
        link.download = `${frame.figure.id.replace(/[^\w.-]/g, "_")}.png`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
        return undefined;
      }, "image/png");
    },
  };
})();
