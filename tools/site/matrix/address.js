// SPDX-License-Identifier: Apache-2.0
// What is shown, and the part of the address behind # that says so: #library=cudart&function=cudaMemAdvise

const FIELDS = ["library", "name", "caller", "installed", "kinds", "function"];
export const EMPTY = { library: "cudart", name: "", caller: "", installed: "", kinds: [], function: "" };

// #check and the like lead to a part of the page.
export const isOne = (hash) => hash.length < 2 || hash.includes("=");

export function read(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const state = { ...EMPTY };
  for (const field of FIELDS) if (given.has(field)) state[field] = given.get(field);
  state.kinds = [state.kinds].flat().join(",").split(",").filter(Boolean);
  return state;
}

export function write(state) {
  const fields = FIELDS.filter((field) => String(state[field]) !== String(EMPTY[field]));
  if (state.function && !fields.includes("library")) fields.unshift("library"); // a link should say whose function it is
  return `#${fields.map((field) => `${field}=${encodeURIComponent(state[field]).replaceAll("%2C", ",")}`).join("&")}`;
}
