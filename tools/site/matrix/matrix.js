// SPDX-License-Identifier: Apache-2.0
// The outcomes of a library's functions, from the library's part of the command's matrix.json. Without a page: tests call it.

export const KINDS = ["direct", "renamed", "adapted", "emulated", "absent", "rejected"];
export const ANY_CALLER = "any";

// 12 of 12.9; nccl-2 of nccl-2.28
export const majorOf = (runtime) => runtime.split(".")[0];

// One {symbol, caller, runtimes, kind, ...} for each run of releases of a major with the same answer, as `anycuda matrix --json`.
export function runsOf(library) {
  const answers = library.answers.map(
    (answer) => Object.fromEntries(library.answer_fields.map((field, place) => [field, answer[place]])));
  return library.rows.flatMap(([symbol, caller, packed]) =>
    unpacked(packed, library.runtimes).map(([runtimes, number]) => ({ symbol, caller, runtimes, ...answers[number] })));
}

// [2, 7, 9, 3] is answer 7 for the first two runtimes, 3 for the next nine.
function unpacked(packed, runtimes) {
  const runs = [];
  let place = 0;
  for (let i = 0; i < packed.length; i += 2) {
    for (const runtime of runtimes.slice(place, place + packed[i])) {
      const last = runs.at(-1);
      if (last && last[1] === packed[i + 1] && majorOf(last[0][0]) === majorOf(runtime)) last[0].push(runtime);
      else runs.push([[runtime], packed[i + 1]]);
    }
    place += packed[i];
  }
  return runs;
}

// The runs that a selection leaves; empty values select everything. The driver's functions are the same for every caller.
export function selected(runs, { name = "", caller = "", installed = "", kinds = [] }) {
  const matches = matcher(name);
  return runs.flatMap((run) => {
    if (!matches(run.symbol) || (kinds.length && !kinds.includes(run.kind))) return [];
    if (caller && run.caller !== caller && run.caller !== ANY_CALLER) return [];
    const runtimes = installed
      ? run.runtimes.filter((runtime) => runtime === installed || majorOf(runtime) === installed) : run.runtimes;
    return runtimes.length ? [{ ...run, runtimes }] : [];
  });
}

// A name with * or ? is a pattern for the whole name, another one a part of it.
export function matcher(name) {
  const text = name.trim().toLowerCase();
  if (!/[*?]/.test(text)) return (symbol) => symbol.toLowerCase().includes(text);
  const pattern = text.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".");
  const whole = new RegExp(`^${pattern}$`, "i");
  return (symbol) => whole.test(symbol);
}

export function byFunction(runs) {
  const found = new Map();
  for (const run of runs) {
    if (!found.has(run.symbol)) found.set(run.symbol, []);
    found.get(run.symbol).push(run);
  }
  return found;
}

// What is called in NVIDIA's library, where that is not the function itself.
export function calls(run) {
  const called = run.needs.length ? run.needs : [run.target];
  return called.length === 1 && called[0] === run.symbol ? "" : called.join(", ");
}

// A release as readers know it: 12.4, "driver 535", "cuda.h 13.5" (the newest header, beside the drivers), "NCCL 2.28".
export function releaseName(runtime, library) {
  if (library.is_driver) return runtime.includes(".") ? `cuda.h ${runtime}` : `driver ${runtime}`;
  return library.own_releases ? `${productOf(library)} ${runtime.split("-")[1]}` : runtime;
}

export const productOf = (library) => library.product.split(" (")[0];

// The columns of a library's table: each caller with each installed major. A driver has branches and no majors.
export function columns(library, runs) {
  const pairs = new Map();
  for (const { caller, runtimes } of runs) {
    const major = library.is_driver ? "" : majorOf(runtimes[0]);
    pairs.set(`${caller} ${major}`, { caller, major });
  }
  const place = ({ caller, major }) => library.callers.indexOf(caller) * 1000
    + library.runtimes.findIndex((runtime) => majorOf(runtime) === major);
  return [...pairs.values()].sort((one, other) => place(one) - place(other));
}

// The runs of one column, those of one kind that follow each other as one.
export function cell(runs, { caller, major }, library) {
  const parts = [];
  for (const run of runs) {
    if (run.caller !== caller || (major && majorOf(run.runtimes[0]) !== major)) continue;
    const last = parts.at(-1);
    if (last && last.kind === run.kind && follows(last.runtimes.at(-1), run.runtimes[0], library)) {
      last.runtimes.push(...run.runtimes);
    } else parts.push({ kind: run.kind, runtimes: [...run.runtimes] });
  }
  return parts;
}

const follows = (one, next, { runtimes }) => runtimes.indexOf(next) === runtimes.indexOf(one) + 1;

// 12.0 to 12.9
export function range(runtimes, library) {
  const [first, last] = [runtimes[0], runtimes.at(-1)].map((runtime) => releaseName(runtime, library));
  return first === last ? first : `${first} to ${last.split(" ").at(-1)}`;
}
