// Starts the language server for programs and for the strings of Python that hold programs.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const [command, ...args] = workspace.getConfiguration("dsl").get("command");
  const documentSelector = [
    { scheme: "file", language: "dsl" },
    { scheme: "file", language: "python" },
  ];
  client = new LanguageClient("dsl", "puredsl", { command, args }, { documentSelector });
  return client.start();
};

exports.deactivate = () => client?.stop();
