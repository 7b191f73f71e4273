// An element with its properties; text goes in as textContent or as a child, never as markup.
xsp.element = function (name, properties, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};
