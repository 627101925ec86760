const assert = require("node:assert/strict");
const { join } = require("node:path");
const vscode = require("vscode");
const { run, until } = require("./pillion.cjs");
const { withArgs } = require(join(__dirname, "..", "..", "ui", "lib", "processes.cjs"));

/** Begins a command with a child of its own; answers when both run. */
async function nap(digit) {
  const seconds = `86419.${process.pid % 1000}${digit}`;
  const command = `sleep ${seconds} & sleep ${seconds}; wait`;
  const report = run(command);
  await until("both processes", () => withArgs("sleep", seconds).length === 2);
  return { command, report, gone: () => until("the end of both", () => withArgs("sleep", seconds).length === 0) };
}

describe("a running command", () => {
  it("is ended with its whole process tree by pillion.cancel", async () => {
    const { report, gone } = await nap(1);
    await vscode.commands.executeCommand("pillion.cancel");
    assert.equal((await report).status, "cancelled");
    await gone();
  });

  it("is ended when its terminal is closed", async () => {
    const { command, report, gone } = await nap(2);
    vscode.window.terminals.find((t) => t.name.startsWith(command.slice(0, 20))).dispose();
    assert.equal((await report).status, "cancelled");
    await gone();
  });

  it("is interrupted by Ctrl-C in its terminal", async () => {
    const ready = `up-${process.pid}`;
    const report = run(`trap 'echo caught; exit 9' INT; touch ${ready}; while :; do sleep 0.1; done`);
    const [{ uri }] = vscode.workspace.workspaceFolders;
    await until("the command", () => vscode.workspace.fs.stat(vscode.Uri.joinPath(uri, ready)).then(() => true, () => false));
    vscode.window.activeTerminal.sendText("\x03", false);
    const { exitCode, output } = await report;
    assert.equal(exitCode, 9);
    assert.match(output, /caught/);
  });
});

describe("pillion.doctor", () => {
  it("shows what this machine enforces", async () => {
    await vscode.commands.executeCommand("pillion.doctor");
    const text = vscode.window.activeTextEditor.document.getText();
    assert.match(text, /bin\/pillion/);
    assert.match(text, /landlock/i);
  });
});
