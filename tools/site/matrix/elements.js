// SPDX-License-Identifier: Apache-2.0
// Elements of the page. Text is never read as HTML.

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name in made && typeof value !== "string") made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

export function options(select, groups, chosen) {
  select.replaceChildren(...groups.map(([label, pairs]) => {
    const made = pairs.map(([value, text]) => element("option", { value }, text));
    return label ? element("optgroup", { label }, ...made) : made;
  }).flat());
  select.value = chosen;
}

// A wide table scrolls by itself, also by the keyboard.
export function scrolling(table, label) {
  return element("div", { class: "scroll", role: "region", "aria-label": label, tabindex: "0" }, table);
}

export function row(cells, tag = "td") {
  return element("tr", {}, ...cells.map((text) => element(tag, tag === "th" ? { scope: "col" } : {}, text)));
}
