// SPDX-License-Identifier: Apache-2.0
// The part of the page that checks local files: they are dropped or chosen, a worker reads them, the report is shown.

const part = (name) => document.getElementById(name);
let worker;
let asked = 0;
let files = [];

// The answer of `anycuda check WORDS... FILES...`: {status, output, errors}, or {failure}. Tests call it, too.
export function check(chosen, words) {
  asked += 1;
  const id = asked;
  worker ??= new Worker(new URL("check_worker.js", import.meta.url), { type: "module" });
  const ours = worker;
  return new Promise((resolve) => {
    const end = (answer) => {
      ours.removeEventListener("message", read);
      ours.removeEventListener("error", fail);
      resolve(answer);
    };
    const read = ({ data }) => {
      if (data.progress) showProgress(data.progress);
      else if (data.id === id) end(data);
      if (data.failure) restart(ours);
    };
    const fail = (event) => {
      restart(ours);
      end({ failure: event.message || "a part of the site is missing; make the site again (.ci/site)" });
    };
    ours.addEventListener("message", read);
    ours.addEventListener("error", fail);
    ours.postMessage({ id, files: chosen, words });
  });
}

// The next question starts another worker.
function restart(ours) {
  ours.terminate();
  if (worker === ours) worker = undefined;
}

function showProgress({ name, done, whole }) {
  const megabytes = (bytes) => Math.round(bytes / 1e6);
  part("check-status").textContent = `Reading ${name}: ${megabytes(done)} of ${megabytes(whole)} MB.`;
}

async function show(chosen) {
  files = chosen;
  if (!files.length) return;
  const words = part("check-options").value.split(/\s+/).filter(Boolean);
  const names = files.map((file) => file.name).join(", ");
  part("report").hidden = true;
  part("check-status").textContent = `Reading ${names}. The first check loads 14 MB from this site.`;
  const answer = await check(files, words);
  if (chosen !== files) return; // the reader chose others meanwhile
  if (answer.failure) {
    part("check-status").textContent = `${names} cannot be checked: ${answer.failure}`;
    return;
  }
  part("check-status").textContent = `${names}: ${summary(answer)}`;
  part("report").textContent = [answer.output, answer.errors].filter(Boolean).join("\n");
  part("report").hidden = false;
}

// The verdict, of one file; else the exit status, which the reference of the command explains.
function summary({ output, status }) {
  const verdicts = output.match(/^verdict: .*$/gm) ?? [];
  return verdicts.length === 1 ? verdicts[0] : `exit status ${status}`;
}

export function start() {
  part("check-files").addEventListener("change", (event) => show([...event.target.files]));
  part("check-options").addEventListener("change", () => show([...files]));
  part("check-form").addEventListener("submit", (event) => event.preventDefault());
  for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
    document.addEventListener(name, (event) => { // anywhere: the browser would leave the page for the file
      event.preventDefault();
      part("check").classList.toggle("over", name === "dragenter" || name === "dragover");
      if (name === "drop") show([...event.dataTransfer.files]);
    });
  }
}
