// Texts of programs: colours, links, fixes. Knows nothing of the page.

const TOKEN = /(?<comment>#[^\n]*)|(?<string>"(?:[^"\\\n]|\\.)*"?)|(?<number>\b\d[\w.]*)|(?<word>[^\W\d]\w*)/gu;
const TYPE = /^(?:[fiu](?:8|16|32|64)|bf16|c64|c128|bool|str|idx|key|[A-Z]\w*)$/;

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

// The ends of tokens in a text, each with its class.
export function tokens(text, keywords) {
  const found = [];
  for (const match of text.matchAll(TOKEN)) {
    const { comment, string, number, word } = match.groups;
    const kind = comment !== undefined ? "comment" : string !== undefined ? "string" : number !== undefined ? "number"
      : keywords.has(word) ? "keyword" : TYPE.test(word) ? "type" : "";
    if (kind) found.push({ start: match.index, end: match.index + match[0].length, kind });
  }
  return found;
}

// A text as HTML: tokens in colours, and what is found marked.
export function coloured(text, keywords, findings) {
  const marks = findings.filter((f) => f.start <= f.end && f.start <= text.length).map(visible);
  const parts = tokens(text, keywords);
  const cuts = new Set([0, text.length]);
  for (const { start, end } of [...parts, ...marks]) cuts.add(Math.min(start, text.length)).add(Math.min(end, text.length));
  const places = [...cuts].sort((a, b) => a - b);
  let html = "";
  let next = 0; // the first token that does not end before the place
  for (let k = 0; k + 1 < places.length; k++) {
    const [start, end] = [places[k], places[k + 1]];
    while (next < parts.length && parts[next].end <= start) next++;
    const token = next < parts.length && parts[next].start <= start ? parts[next] : undefined;
    const mark = marks.find((m) => m.start <= start && end <= m.end);
    let piece = escape(text.slice(start, end));
    if (token) piece = `<span class="${token.kind}">${piece}</span>`;
    if (mark) piece = `<mark class="${mark.severity}" title="${escape(mark.message)}">${piece}</mark>`;
    html += piece;
  }
  return html + "\n";
}

// A mark of no character covers the one before it, so that it is seen.
const visible = (f) => (f.start === f.end ? { ...f, start: Math.max(0, f.start - 1) } : f);

// A text with the changes of a fix, which do not overlap.
export function changed(text, changes) {
  const last = [...changes].sort((a, b) => b.start - a.start);
  return last.reduce((whole, { start, end, text: piece }) => whole.slice(0, start) + piece + whole.slice(end), text);
}

async function through(stream, bytes) {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

// The fragment of an address that carries a program and an expression.
export async function toFragment(state) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(state)));
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

// What a fragment carries; null if it carries nothing that can be read.
export async function fromFragment(fragment) {
  try {
    const text = atob(fragment.replace(/-/g, "+").replace(/_/g, "/"));
    const bytes = await through(new DecompressionStream("deflate-raw"), Uint8Array.from(text, (c) => c.charCodeAt(0)));
    const { text: program, expression } = JSON.parse(new TextDecoder().decode(bytes));
    return typeof program === "string" ? { text: program, expression: String(expression ?? "") } : null;
  } catch {
    return null;
  }
}
