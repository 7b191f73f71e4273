// What people read of a value: four digits, "–" for what the trace cannot give. Names are as recorded, by anybody: what
// would turn the direction of text or cannot be seen is written as an escape, and long ones are cut in the middle.
xsp.cellText = (function () {
  const kNull = "–";
  const unseen = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
  const escapes = { "\n": "\\n", "\t": "\\t", "\r": "\\r" };
  const encoder = new TextEncoder();

  function escaped(character) {
    if (escapes[character] !== undefined) return escapes[character];
    return Array.from(encoder.encode(character), (byte) => "\\x" + byte.toString(16).padStart(2, "0")).join("");
  }

  function fourDigits(value) {
    if (value === 0) return "0";
    const magnitude = Math.floor(Math.log10(Math.abs(value)));
    if (magnitude < -6 || magnitude > 15) return value.toExponential(3);
    return value.toFixed(Math.min(Math.max(3 - magnitude, 0), 9));
  }

  return {
    printable: (text) => text.replace(unseen, escaped),
    // `decimals`: the places of the column; undefined: four digits in all.
    of(value, decimals) {
      if (value === null) return kNull;
      if (typeof value === "string") return this.printable(value);
      if (typeof value === "boolean") return value ? "yes" : "no";
      if (decimals !== undefined) return value.toFixed(decimals);
      return Number.isInteger(value) ? String(value) : fourDigits(value);
    },
    // "layer4.2.…conv3": at most `width` characters; a pair of surrogates is not torn.
    shorten(text, width) {
      if (text.length <= width) return text;
      let front = Math.ceil((width - 1) / 2);
      let back = text.length - (width - 1 - front);
      if (/[\ud800-\udbff]/.test(text[front - 1])) --front;
      if (/[\udc00-\udfff]/.test(text[back])) ++back;
      return text.slice(0, front) + "…" + text.slice(back);
    },
  };
})();
