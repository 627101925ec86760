// An agent, as far as pillion sees one: it runs what the file agent.sh says, in the
// background, and leaves what it was told in agent.txt.

const { readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const vscode = require("vscode");

exports.activate = () => vscode.commands.registerCommand("test.agent", () => {
  const folder = vscode.workspace.workspaceFolders[0].uri.fsPath;
  const input = { command: readFileSync(join(folder, "agent.sh"), "utf8") };
  void vscode.lm.invokeTool("pillion_run", { input, toolInvocationToken: undefined }).then(
    (result) => writeFileSync(join(folder, "agent.txt"), result.content.map((part) => part.value).join("")),
    (error) => writeFileSync(join(folder, "agent.txt"), String(error)),
  );
});
