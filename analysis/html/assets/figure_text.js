// How figures write numbers and names. Names are as recorded: they reach the page as text nodes and canvas text only.
xsp.figureText = (function () {
  const kMostLetters = 2000; // of a name in a card; the table has all of it

  // Four digits that count, thousands grouped: "0.08621", "12.4", "1,024,000".
  function number(value) {
    if (value === null || value === undefined || !Number.isFinite(value)) return "–";
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size < 1e-6 || size >= 1e15) return value.toExponential(3).replace(/\.?0+e/, "e");
    const digits = Math.max(0, 3 - Math.floor(Math.log10(size)));
    return value.toLocaleString("en-US", { maximumFractionDigits: Math.min(digits, 12) });
  }

  return {
    number,
    quantity: (value, unit) => (unit ? `${number(value)} ${unit}` : number(value)),
    // At most `letters`, cut in the middle: both ends of a kernel's name tell something.
    shortened(name, letters) {
      const all = name.length > 8 * letters ? null : Array.from(name);
      if (all !== null && all.length <= letters) return name;
      const head = Math.ceil((letters - 1) / 2);
      const tail = Math.floor((letters - 1) / 2);
      const first = Array.from(name.slice(0, 2 * head)).slice(0, head);
      const last = tail === 0 ? [] : Array.from(name.slice(-2 * tail)).slice(-tail);
      return `${first.join("")}…${last.join("")}`;
    },
    // Names with marks that turn the direction of text must not reorder what stands beside them.
    shown: (name) => String(name).slice(0, kMostLetters).replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "\ufffd"),
  };
})();
