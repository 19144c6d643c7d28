// SPDX-License-Identifier: Apache-2.0
// `anycuda check`, apart from the page's own thread: the command's Python in Pyodide, and its reader of device code as
// WebAssembly. Everything is loaded from the site; the files stay in this browser.

import makeProgram from "./device_code.mjs";
import { loadPyodide } from "./pyodide/pyodide.mjs";

const FOLDER = "/files";
const here = (path) => new URL(path, import.meta.url).href;
const started = start();

async function loaded(path) {
  const answer = await fetch(here(path));
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${answer.statusText}`);
  return answer;
}

async function start() {
  const [pyodide, code, source, archive, matrix] = await Promise.all([
    loadPyodide({ indexURL: here("pyodide/") }),
    loaded("device_code.wasm").then(async (answer) => WebAssembly.compile(await answer.arrayBuffer())),
    loaded("check_in_browser.py").then((answer) => answer.text()),
    loaded("anycuda.zip").then((answer) => answer.arrayBuffer()),
    wholeMatrix(),
  ]);
  pyodide.unpackArchive(archive, "zip", { extractDir: "/anycuda" });
  pyodide.FS.writeFile("/anycuda/matrix.json", JSON.stringify(matrix));
  pyodide.FS.writeFile("/anycuda/check_in_browser.py", source);
  pyodide.registerJsModule("page", {
    deviceCode: (files) => deviceCode(code, files),
    progress: (name, done, whole) => postMessage({ progress: { name, done, whole } }),
  });
  // Pyodide has no `resource`; the command needs it only for the processes of the doctor.
  pyodide.runPython("import sys, types; sys.path.insert(0, '/anycuda'); sys.modules['resource'] = types.ModuleType('resource')");
  return { FS: pyodide.FS, check: pyodide.pyimport("check_in_browser").check };
}

// The command's matrix.json, which the page has in parts.
async function wholeMatrix() {
  const index = await (await loaded("data/index.json")).json();
  const parts = Object.entries(index.libraries).map(async ([name, about]) =>
    [name, { ...about, ...await (await loaded(`data/${name}.json`)).json() }]);
  return { ...index, libraries: Object.fromEntries(await Promise.all(parts)) };
}

// The exit status and the output of anycuda-device-code, in fresh memory: a file that breaks it breaks no other.
function deviceCode(code, files) {
  const lines = [];
  const program = {
    noInitialRun: true,
    print: (line) => lines.push(line),
    printErr: (line) => lines.push(line),
    instantiateWasm(imports, receive) {
      const instance = new WebAssembly.Instance(code, imports);
      receive(instance);
      return instance.exports;
    },
  };
  makeProgram(program);
  const names = files.map((bytes, place) => {
    program.FS.writeFile(`/${place}`, bytes, { canOwn: true });
    return `/${place}`;
  });
  const status = program.callMain(["--json", "--", ...names]);
  return [status, lines.map((line) => `${line}\n`).join("")];
}

// One question at a time: the folder is of the last one.
let before = Promise.resolve();

self.onmessage = ({ data }) => {
  before = before.then(() => answer(data));
};

async function answer({ id, files, words }) {
  try {
    const { FS, check } = await started;
    FS.mkdirTree(FOLDER);
    FS.mount(FS.filesystems.WORKERFS, { files }, FOLDER);
    try {
      const [status, output, errors] = check(FOLDER, [...words, "--", ...files.map((file) => file.name)]).toJs();
      postMessage({ id, status, output, errors });
    } finally {
      FS.unmount(FOLDER);
    }
  } catch (error) {
    postMessage({ id, failure: String(error.message ?? error) });
  }
}
