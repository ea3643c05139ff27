// The page: what is typed is asked, and what is answered is shown.
import { ask } from "./engine.js";
import { changed, coloured, fromFragment, toFragment } from "./text.js";

const PAUSE = 150; // milliseconds after the last key until the program is checked

const at = (id) => document.getElementById(id);
const [text, expression, colours] = [at("text"), at("expression"), at("colours")];
let keywords = new Set();
let findings = [];
let asked = 0;
let timer = 0;

function draw() {
  colours.innerHTML = coloured(text.value, keywords, findings);
  colours.scrollTop = text.scrollTop;
  colours.scrollLeft = text.scrollLeft;
}

function say(words, kind = "") {
  at("status").textContent = words;
  at("status").className = kind;
}

// Ask, and drop the answer if something else was asked meanwhile.
async function latest(question) {
  const number = ++asked;
  const answer = await ask(question).catch((error) => ({ fault: String(error.message ?? error) }));
  return number === asked ? answer : null;
}

async function check() {
  const answer = await latest({ ask: "check", text: text.value });
  if (answer === null) return;
  show(answer);
  at("signatures").innerHTML = answer.signatures ?? "";
}

function show(answer) {
  at("explanation").hidden ||= !(answer.findings ?? []).some((f) => f.code === at("explanation").dataset.code);
  findings = answer.findings ?? [];
  at("findings").replaceChildren(...findings.map(block));
  const count = findings.filter((f) => f.severity === "error").length;
  if (answer.fault) say(answer.fault, "bad");
  else if (count) say(`${count} ${count === 1 ? "error" : "errors"}`, "bad");
  else say("no errors", "good");
  draw();
}

function block(finding) {
  const found = document.createElement("div");
  found.className = `finding ${finding.severity}`;
  found.innerHTML = finding.html;
  for (const fix of finding.fixes ?? []) found.append(button(fix.help, () => change(changed(text.value, fix.changes))));
  found.append(button(`Explain ${finding.code}`, () => explain(finding.code)));
  return found;
}

function button(words, act) {
  const found = document.createElement("button");
  found.textContent = words;
  found.addEventListener("click", act);
  return found;
}

function change(program) {
  text.value = program;
  typed();
}

async function explain(code) {
  const answer = await ask({ ask: "explain", code });
  at("explanation").hidden = false;
  at("explanation").dataset.code = code;
  at("explanation").innerHTML = answer.html ?? answer.fault;
  at("explanation").scrollIntoView();
}

async function run() {
  if (!expression.value.trim()) return;
  say("running");
  const answer = await latest({ ask: "run", text: text.value, expression: expression.value });
  if (answer === null) return;
  show(answer);
  const done = !findings.length && !answer.fault;
  at("result").hidden = !done;
  at("printed").textContent = answer.printed ?? "";
  at("value").textContent = answer.result ?? "";
  at("ir").innerHTML = answer.ir ?? "";
  at("picture").innerHTML = answer.picture ?? "";
}

async function format() {
  const answer = await ask({ ask: "format", text: text.value });
  if (answer.findings) show(answer);
  else change(answer.text ?? "");
}

async function share() {
  history.replaceState(null, "", `#${await toFragment({ text: text.value, expression: expression.value })}`);
  await navigator.clipboard?.writeText(location.href).catch(() => {});
  say("the address is the link", "good");
}

function typed() {
  findings = [];
  at("result").hidden = true;
  draw();
  clearTimeout(timer);
  timer = setTimeout(check, PAUSE);
}

function put({ text: program, expression: entered }) {
  text.value = program;
  expression.value = entered;
  at("result").hidden = true;
  at("explanation").hidden = true;
  draw();
  return check();
}

async function begin() {
  const about = await ask({ ask: "about" });
  keywords = new Set(about.keywords);
  const options = about.examples.map((example, k) => new Option(example.title, String(k)));
  at("examples").replaceChildren(...options);
  at("examples").addEventListener("change", (event) => put(about.examples[Number(event.target.value)]));
  text.addEventListener("input", typed);
  text.addEventListener("scroll", draw);
  at("format").addEventListener("click", format);
  at("share").addEventListener("click", share);
  at("run").addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  addEventListener("hashchange", follow);
  if (!(await follow())) await put(about.examples[0]);
}

async function follow() {
  const state = location.hash ? await fromFragment(location.hash.slice(1)) : null;
  if (state !== null) await put(state);
  return state !== null;
}

begin().catch((error) => say(String(error.message ?? error), "bad"));
