// SPDX-License-Identifier: Apache-2.0
// The matrix page: the controls, the address, and the data, of which a library's part is loaded when it is needed.

import * as address from "./address.js";
import { start as startCheck } from "./check.js";
import { element, options } from "./elements.js";
import { KINDS, byFunction, majorOf, productOf, releaseName, runsOf, selected } from "./matrix.js";
import { functionDetails, libraryTable } from "./tables.js";

const part = (name) => document.getElementById(name);
const field = { name: part("function"), library: part("library"), caller: part("caller"), installed: part("installed") };
const loaded = new Map(); // library -> promise of its runs
let index;
let state = { ...address.EMPTY };
let shownFunction; // none before the first answer: a page that was just loaded leaves the focus where it is

async function json(file) {
  const answer = await fetch(new URL(`data/${file}.json`, import.meta.url));
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${answer.statusText}. Make the site again (.ci/site).`);
  return answer.json();
}

function runsOfLibrary(name) {
  if (!loaded.has(name)) {
    const runs = json(name).then((data) => runsOf({ ...index.libraries[name], ...data }));
    runs.catch(() => loaded.delete(name));
    loaded.set(name, runs);
  }
  return loaded.get(name);
}

const chosenLibraries = () => (state.library === "all" ? Object.values(index.libraries)
  : [index.libraries[state.library]].filter(Boolean));

function fillControls() {
  const all = Object.values(index.libraries);
  options(field.library, [["", [["all", "all libraries"], ...all.map(({ name, product }) => [name, product])]]], state.library);
  const some = chosenLibraries();
  const callers = [...new Set(some.flatMap((library) => library.callers))].filter((caller) => caller !== "any");
  options(field.caller, [["", [["", "any CUDA"], ...callers.map((caller) => [caller, `CUDA ${caller}`])]]], state.caller);
  options(field.installed, [["", [["", "everything"]]], ...installed(some)], state.installed);
  field.name.value = state.name;
  for (const box of part("kinds").querySelectorAll("input")) box.checked = state.kinds.includes(box.value);
}

// CUDA's releases, the driver's, and those of libraries with their own, each once.
function installed(libraries) {
  const groups = new Map();
  for (const library of libraries) {
    const label = library.is_driver ? "Driver" : library.own_releases ? productOf(library) : "CUDA";
    if (!groups.has(label)) groups.set(label, new Map());
    const group = groups.get(label);
    for (const runtime of library.is_driver ? [] : library.runtimes.map(majorOf)) {
      group.set(runtime, `${releaseName(runtime, library)}, all releases`);
    }
    for (const runtime of library.runtimes) group.set(runtime, releaseName(runtime, library));
  }
  return [...groups].map(([label, group]) => [label, [...group]]);
}

async function show() {
  const wanted = state;
  part("status").textContent = "Loading.";
  try {
    const libraries = chosenLibraries();
    const found = await Promise.all(libraries.map(async (library) => [library, await runsOfLibrary(library.name)]));
    if (wanted !== state) return; // the reader went on meanwhile
    showResults(found);
    showFunction(found);
  } catch (error) {
    if (wanted === state) part("status").textContent = `The matrix cannot be shown: ${error.message}`;
  }
}

function showResults(found) {
  let functions = 0;
  const tables = [];
  for (const [library, runs] of found) {
    const left = selected(runs, state);
    const count = byFunction(left).size;
    functions += count;
    if (count) tables.push(...libraryTable(library, left, state));
  }
  part("results").replaceChildren(...tables);
  const libraries = tables.filter((one) => one.tagName === "H2").length;
  part("status").textContent = functions
    ? `${functions} function${functions === 1 ? "" : "s"} in ${libraries} librar${libraries === 1 ? "y" : "ies"}.`
    : `No outcome matches.${state.library === "all" ? "" : " Choose all libraries to search in the others."}`;
}

function showFunction(found) {
  const details = part("details");
  const [library, runs] = found[0] ?? [];
  details.hidden = !state.function || found.length !== 1;
  if (!details.hidden) {
    const own = runs.filter((run) => run.symbol === state.function);
    const close = element("a", { href: address.write({ ...state, function: "" }) }, "Close");
    details.replaceChildren(...functionDetails(library, state.function, own, index.status_names), close);
    if (shownFunction !== undefined && shownFunction !== state.function) details.querySelector("h2").focus();
  }
  shownFunction = state.function;
  document.title = `${state.function ? `${state.function} · ` : ""}The matrix · anycuda`;
}

function readAddress() {
  state = address.read(location.hash);
  if (state.library !== "all" && !Object.hasOwn(index.libraries, state.library)) {
    state = { ...state, library: "all", function: "" };
  }
  fillControls();
  return show();
}

function readControls() {
  const kinds = [...part("kinds").querySelectorAll("input:checked")].map((box) => box.value);
  const before = state;
  const values = Object.fromEntries(Object.entries(field).map(([name, { value }]) => [name, value]));
  if (address.write({ ...before, ...values, kinds }) === address.write(before)) return undefined; // input, then change
  state = { ...values, kinds, function: "" };
  if (before.library !== state.library) {
    fillControls(); // an installed CUDA that the library does not have is no longer chosen
    state.installed = field.installed.value;
    state.caller = field.caller.value;
    fillControls();
  }
  history.replaceState(null, "", address.write(state));
  return show();
}

async function start() {
  part("kinds").append(...KINDS.map((kind) => element("label", { class: kind },
    element("input", { type: "checkbox", value: kind }), ` ${kind}`)));
  try {
    index = await json("index");
  } catch (error) {
    part("status").textContent = `The matrix cannot be shown: ${error.message}`;
    return;
  }
  for (const [name, library] of Object.entries(index.libraries)) library.name = name;
  for (const event of ["input", "change"]) part("filter").addEventListener(event, readControls);
  part("filter").addEventListener("submit", (event) => event.preventDefault());
  part("filter").addEventListener("reset", (event) => {
    event.preventDefault();
    location.hash = address.write({ ...address.EMPTY, library: state.library });
    field.name.focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
      event.preventDefault();
      field.name.focus();
    }
  });
  startCheck();
  window.addEventListener("hashchange", () => address.isOne(location.hash) && readAddress());
  await readAddress();
}

start();
