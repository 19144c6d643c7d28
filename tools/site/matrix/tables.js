// SPDX-License-Identifier: Apache-2.0
// The table of a library, and the details of one function.

import * as address from "./address.js";
import { element, row, scrolling } from "./elements.js";
import { ANY_CALLER, byFunction, calls, cell, columns, productOf, range, releaseName } from "./matrix.js";

const AT_FIRST = 100; // rows of a table

const callerName = (caller) => (caller === ANY_CALLER ? "any CUDA" : `CUDA ${caller}`);

export function libraryTable(library, runs, state) {
  const functions = [...byFunction(runs)];
  const shown = columns(library, runs);
  const body = element("tbody");
  const add = (some) => body.append(...some.map(([name, own]) => functionRow(name, own, shown, library, state)));
  add(functions.slice(0, AT_FIRST));
  const heading = element("h2", { id: `of-${library.name}` }, library.product);
  const table = element("table", { "aria-labelledby": heading.id }, head(shown, library), body);
  const parts = [heading, scrolling(table, `${library.product}: ${functions.length} functions`)];
  if (functions.length > AT_FIRST) {
    const more = element("button", { type: "button" }, `Show all ${functions.length} functions of ${productOf(library)}`);
    more.addEventListener("click", () => {
      add(functions.slice(AT_FIRST));
      body.rows[AT_FIRST].querySelector("a").focus();
      more.remove();
    });
    parts.push(element("p", {}, more));
  }
  return parts;
}

function head(shown, library) {
  const callers = [...new Set(shown.map(({ caller }) => caller))];
  const first = element("th", { scope: "col", rowspan: "2" }, "Function");
  return element("thead", {},
    element("tr", {}, first, ...callers.map((caller) => element("th", {
      scope: "colgroup", colspan: String(shown.filter((one) => one.caller === caller).length),
    }, `Built for ${callerName(caller)}`))),
    row(shown.map(({ major }) => `on ${major ? releaseName(major, library) : "driver"}`), "th"));
}

function functionRow(name, runs, shown, library, state) {
  const link = element("a", { href: linkTo(library, name, state), class: "name" }, name);
  return element("tr", {}, element("th", { scope: "row" }, link),
    ...shown.map((column) => element("td", {}, ...parts(cell(runs, column, library), library))));
}

export const linkTo = (library, name, state) => address.write({ ...state, library: library.name, function: name });

// "direct"; where releases of the major differ, "absent until 12.3" and "direct from 12.4".
function parts(found, library) {
  const text = ({ kind, runtimes }, place) => {
    if (found.length === 1) return kind;
    if (place === 0) return `${kind} until ${releaseName(runtimes.at(-1), library)}`;
    const from = releaseName(runtimes[0], library);
    return place === found.length - 1 ? `${kind} from ${from}` : `${kind} ${range(runtimes, library)}`;
  };
  return found.map((part, place) => element("span", { class: part.kind }, text(part, place)));
}

export function functionDetails(library, name, runs, statusNames) {
  const heading = element("h2", { tabindex: "-1" }, element("span", { class: "name" }, name), ` · ${library.product}`);
  if (!runs.length) return [heading, element("p", {}, `${library.product} has no function of this name.`)];
  const rows = runs.map((run) => {
    const made = row([callerName(run.caller), range(run.runtimes, library), run.kind, calls(run),
      run.driver && `of CUDA ${run.driver}, or newer`, run.reason]);
    made.cells[2].className = run.kind;
    made.cells[3].classList.add("name");
    return made;
  });
  const table = element("table", { "aria-label": `Outcomes of ${name}` },
    element("thead", {}, row(["built for", "installed", "outcome", "calls", "driver", "why"], "th")),
    element("tbody", {}, ...rows));
  return [heading, scrolling(table, `Outcomes of ${name}`), ...failures(library, runs, statusNames)];
}

function failures(library, runs, statusNames) {
  return ["absent", "rejected"].filter((kind) => runs.some((run) => run.kind === kind)).map((kind) => {
    const status = library.status[kind];
    const text = statusNames[library.name]?.[status];
    return element("p", {}, `${kind === "absent" ? "An absent" : "A rejected"} call returns ${status}`,
      text ? " (" : "", ...(text ? [element("code", {}, text), ")"] : []), ".");
  });
}
