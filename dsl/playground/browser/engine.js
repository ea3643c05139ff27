// Asks a worker of this page, in which Pyodide runs puredsl.
const LIMIT = 20000; // milliseconds that an answer may take

let worker = null;
let ready = null;
let last = 0;
const waiting = new Map();

function start() {
  worker = new Worker("worker.js", { type: "module" });
  ready = new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => (data.ready ? resolve() : data.fault ? reject(new Error(data.fault)) : settle(data));
    worker.onerror = (event) => reject(new Error(event.message ?? "the worker could not be loaded"));
  });
}

function settle({ number, answer }) {
  waiting.get(number)?.(answer);
  waiting.delete(number);
}

export async function ask(question) {
  if (worker === null) start();
  await ready;
  const number = ++last;
  return new Promise((resolve) => {
    const timer = setTimeout(() => stop(), LIMIT);
    waiting.set(number, (answer) => {
      clearTimeout(timer);
      resolve(answer);
    });
    worker.postMessage({ number, question });
  });
}

// End a worker that takes too long, with all that it was asked; the next question starts another.
function stop() {
  worker.terminate();
  worker = null;
  for (const number of [...waiting.keys()]) settle({ number, answer: { fault: `no answer within ${LIMIT / 1000} seconds` } });
}
