// Loads Pyodide and puredsl, then answers questions. NumPy is loaded for the first run alone.
const BEGIN = `
from dsl.playground.answers import Answers
answers = Answers()
lambda line: answers.answer_json(line.encode()).decode()
`;

async function begin() {
  const config = await (await fetch("config.json")).json();
  const { loadPyodide } = await import(new URL("pyodide.mjs", new URL(config.pyodide, location.href)).href);
  const pyodide = await loadPyodide();
  await pyodide.loadPackage(config.packages);
  pyodide.unpackArchive(await (await fetch("puredsl.zip")).arrayBuffer(), "zip");
  return { config, pyodide, answer: pyodide.runPython(BEGIN) };
}

let runs = null;
const begun = begin();

async function answered(question) {
  const { config, pyodide, answer } = await begun;
  if (question.ask === "run") await (runs ??= pyodide.loadPackage(config.run));
  return JSON.parse(answer(JSON.stringify(question)));
}

onmessage = async ({ data: { number, question } }) => {
  const answer = await answered(question).catch((error) => ({ fault: String(error.message ?? error) }));
  postMessage({ number, answer });
};

begun.then(() => postMessage({ ready: true }), (error) => postMessage({ fault: String(error.message ?? error) }));
