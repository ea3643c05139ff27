// Runs the extension with a stand-in for VS Code that has one document open, and prints the diagnostics that it is shown.
//   node vscode_stand_in.js EXTENSION PYTHON FILE TEXT
const Module = require("module");
const path = require("path");

const [, , bundle, python, file, text] = process.argv;
const LIMIT = 60_000; // milliseconds

// Whatever is asked of it is a function, a class and an object at once.
function anything(name) {
  return new Proxy(function () {}, {
    get: (target, key) => {
      if (key === Symbol.toPrimitive) return () => name;
      if (key === Symbol.iterator) return function* () {};
      if (key === "then") return undefined;
      if (Object.hasOwn(target, key) && key !== "name" && key !== "length") return target[key];
      return (target[key] = anything(`${name}.${String(key)}`));
    },
    apply: () => anything(`${name}()`),
    construct: () => anything(`new ${name}`),
  });
}

const event = () => ({ dispose() {} });

class Uri {
  constructor(text) {
    Object.assign(this, { text, scheme: "file", fsPath: text.replace("file://", ""), path: text.replace("file://", "") });
  }
  toString() {
    return this.text;
  }
  static parse(text) {
    return new Uri(text);
  }
}

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}

class Range {
  constructor(...ends) {
    const [start, end] = ends.length === 2 ? ends : [new Position(ends[0], ends[1]), new Position(ends[2], ends[3])];
    Object.assign(this, { start, end });
  }
}

class Diagnostic {
  constructor(range, message, severity) {
    Object.assign(this, { range, message, severity });
  }
}

class CancellationTokenSource {
  token = { isCancellationRequested: false, onCancellationRequested: event };
  cancel() {}
  dispose() {}
}

const document = { uri: new Uri(`file://${file}`), languageId: "dsl", version: 1, getText: () => text, fileName: file };
const shown = { set: finish, clear() {}, dispose() {}, delete() {}, forEach() {} };

const vscode = anything("vscode");
Object.assign(vscode, { version: "1.90.0", Uri, Position, Range, Diagnostic, CancellationTokenSource });
vscode.env = { appName: "stand-in", language: "en", appHost: "desktop" };
Object.assign(vscode.workspace, {
  getConfiguration: () => ({ get: (key, otherwise) => (key === "command" ? [python, "-m", "dsl", "lsp"] : otherwise) }),
  textDocuments: [document],
  notebookDocuments: [],
  workspaceFolders: undefined,
});
for (const name of ["Open", "Change", "Close", "Save"]) vscode.workspace[`onDid${name}TextDocument`] = event;
Object.assign(vscode.window, { visibleTextEditors: [], activeTextEditor: undefined });
vscode.languages.match = () => 10;
vscode.languages.createDiagnosticCollection = () => shown;

const load = Module._load;
Module._load = (request, ...rest) => (request === "vscode" ? vscode : load(request, ...rest));
const extension = require(path.resolve(bundle));

async function finish(_, diagnostics) {
  console.log(JSON.stringify(diagnostics));
  await extension.deactivate();
  process.exit(0);
}

setTimeout(() => process.exit(1), LIMIT);
extension.activate().catch((error) => {
  console.error(error);
  process.exit(1);
});
