// The three buttons at the top of the page that choose the theme.
xsp.themeControl = function (place) {
  const names = { system: "System", light: "Light", dark: "Dark" };
  const buttons = xsp.theme.choices.map((choice) => {
    const button = xsp.element("button", { type: "button", textContent: names[choice] });
    button.addEventListener("click", () => xsp.theme.choose(choice));
    return button;
  });
  const update = () => {
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", xsp.theme.choices[i] === xsp.theme.choice()));
  };
  place.setAttribute("role", "group");
  place.setAttribute("aria-label", "Theme");
  place.append(...buttons);
  xsp.theme.listen(update);
  update();
};
