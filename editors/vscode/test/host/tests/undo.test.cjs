const assert = require("node:assert/strict");
const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const vscode = require("vscode");
const { one, run, until } = require("./pillion.cjs");

const at = (name) => join(one, name);
const text = (name) => readFileSync(at(name), "utf8");

describe("pillion.undo", () => {
  it("takes back what a command did, and redoes it", async () => {
    writeFileSync(at("kept.txt"), "mine\n");
    writeFileSync(at("gone.txt"), "mine, too\n");
    const { result } = await run("rm gone.txt; echo theirs >kept.txt; echo new >made.txt");
    assert.equal(result.effects.text, "1 changed, 1 deleted, 1 new");
    const undone = await vscode.commands.executeCommand("pillion.undo", result.effects.id);
    assert.equal(undone.text, "restored 2 files, removed 1 that it had made");
    assert.deepEqual([text("kept.txt"), text("gone.txt"), existsSync(at("made.txt"))], ["mine\n", "mine, too\n", false]);
    await vscode.commands.executeCommand("pillion.undo", undone.undoId);
    assert.deepEqual([text("kept.txt"), existsSync(at("gone.txt")), text("made.txt")], ["theirs\n", false, "new\n"]);
  });

  it("leaves alone what was changed since", async () => {
    writeFileSync(at("kept.txt"), "mine\n");
    const { result } = await run("echo theirs >kept.txt");
    const end = Date.now();
    await until("a later time of a file", () => { // files' clocks go by ticks
      writeFileSync(at("kept.txt"), "mine again\n");
      return require("node:fs").statSync(at("kept.txt")).mtimeMs > end + 1;
    });
    const undone = await vscode.commands.executeCommand("pillion.undo", result.effects.id);
    assert.deepEqual(undone.left.map(({ path }) => path), [at("kept.txt")]);
    assert.equal(text("kept.txt"), "mine again\n");
  });

  it("shows what was there in the view of changes", async () => {
    writeFileSync(at("kept.txt"), "mine\n");
    const { result } = await run("echo theirs >kept.txt; mkdir -p folder; chmod 700 folder");
    assert.equal(await vscode.commands.executeCommand("pillion.review", result.effects.id), 1);
    const before = await until("the text that was there", () => vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === "pillion-before"));
    assert.equal(before.getText(), "mine\n");
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    const forged = await vscode.workspace.openTextDocument(before.uri.with({ query: "/etc/passwd" }));
    assert.equal(forged.getText(), "");
  });

  it("says that nothing is kept of a command that it doesn't know", async () => {
    assert.equal(await vscode.commands.executeCommand("pillion.undo", "no such"), undefined);
  });
});
