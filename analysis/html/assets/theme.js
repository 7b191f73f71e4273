// Light, dark, or as the system has it. The style decides by the media query alone; a choice is an attribute of the
// root, and is remembered where the browser lets a page remember (file: pages often may not).
xsp.theme = (function () {
  const kKey = "xsp-theme";
  const choices = ["system", "light", "dark"];
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const listeners = [];
  const colors = new Map(); // as computed; of the theme shown
  let choice = "system";

  function remembered() {
    try {
      return window.localStorage.getItem(kKey);
    } catch {
      return null;
    }
  }

  function remember() {
    try {
      if (choice === "system") window.localStorage.removeItem(kKey);
      else window.localStorage.setItem(kKey, choice);
    } catch {
      // The choice holds until the page is closed.
    }
  }

  function changed() {
    colors.clear();
    for (const listener of listeners) listener();
  }

  function show() {
    if (choice === "system") delete root.dataset.theme;
    else root.dataset.theme = choice;
    changed();
  }

  const before = remembered();
  if (choices.includes(before)) choice = before;
  show();
  system.addEventListener("change", changed);

  return {
    choices,
    choice: () => choice,
    choose(newChoice) {
      if (!choices.includes(newChoice) || newChoice === choice) return;
      choice = newChoice;
      remember();
      show();
    },
    isDark: () => (choice === "system" ? system.matches : choice === "dark"),
    // The value of a variable of the style, such as "--xsp-c1": a colour that a canvas takes.
    color(name) {
      if (!colors.has(name)) colors.set(name, getComputedStyle(root).getPropertyValue(name).trim());
      return colors.get(name);
    },
    // Called when the colours have changed.
    listen(listener) {
      listeners.push(listener);
    },
  };
})();
