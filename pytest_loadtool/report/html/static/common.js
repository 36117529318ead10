"use strict";
/** An element with attributes, and with text or elements in it: never with markup. */
function make(tag, attributes, ...content) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  element.append(...content.filter((one) => one !== null && one !== undefined));
  return element;
}

const DATA = JSON.parse(document.getElementById("data").textContent);

for (const block of document.querySelectorAll("[data-copy]")) {
  const text = block.textContent;
  block.append(make("button", { class: "copy", type: "button", onclick: (event) => {
    const button = event.target;
    const said = (word) => { button.textContent = word; setTimeout(() => { button.textContent = "copy"; }, 1500); };
    // The clipboard belongs to secure pages; a file is one in Chromium, and not everywhere.
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => said("copied"), () => said("select it"));
    else said("select it");
  } }, "copy"));
}
