const assert = require("node:assert/strict");
const { chmodSync, mkdirSync, rmSync, writeFileSync } = require("node:fs");
const { dirname, join } = require("node:path");
const vscode = require("vscode");
const { one, run, until } = require("./pillion.cjs");

const workspace = join(one, ".pillion.toml");
const own = join(process.env.HOME, ".config/pillion/policy.toml");

describe("a policy file", () => {
  let document;

  async function open(path, text) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "");
    chmodSync(path, 0o600);
    document = await vscode.workspace.openTextDocument(path);
    await vscode.window.showTextDocument(document);
    await write(text);
  }

  async function write(text) {
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
    await vscode.workspace.applyEdit(edit);
  }

  const marks = (count) => until(`${count} marks`, () => {
    const all = vscode.languages.getDiagnostics(document.uri);
    return all.length === count && all;
  });
  const ask = (what, ...args) => vscode.commands.executeCommand(`vscode.execute${what}Provider`, document.uri, ...args);

  afterEach(async () => {
    await document.save();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    rmSync(workspace, { force: true });
    rmSync(own, { force: true });
  });

  it("is marked where it is wrong, in the words of a session, and a quick fix mends it", async () => {
    await open(workspace, '# 😀\n[sandbox]\nmode = "readonly"\nx = 1 # 😀\n');
    const [wrong] = (await marks(2)).sort((a, b) => a.range.start.line - b.range.start.line);
    assert.equal(wrong.message, 'sandbox.mode: expected one of read-only, workspace-write, off (did you mean read-only?), got "readonly"');
    assert.equal(wrong.severity, vscode.DiagnosticSeverity.Error);
    assert.deepEqual(wrong.range, new vscode.Range(2, 0, 2, 4));
    const actions = await ask("CodeAction", wrong.range);
    const fix = actions.find(({ title }) => title === 'Change to "read-only"');
    assert.equal(fix.isPreferred, true);
    assert.equal(await vscode.workspace.applyEdit(fix.edit), true);
    assert.equal(document.getText(), '# 😀\n[sandbox]\nmode = "read-only"\nx = 1 # 😀\n');
    await marks(1);
    await write("");
    await marks(0);
  });

  it("is marked at the right place behind characters of two units", async () => {
    await open(own, 'readable = [ "/😀", "x😀" ]');
    const [{ range }] = await marks(1);
    assert.equal(document.getText(range), '"x😀"');
    await write("");
  });

  it("is completed and explained", async () => {
    await open(workspace, '[sandbox]\nmode = "off"\n\n');
    await marks(1);
    const [hover] = await ask("Hover", new vscode.Position(1, 2));
    assert.match(hover.contents[0].value, /^`sandbox\.mode`\n\nWhat a command may write\./);
    const values = await ask("CompletionItem", new vscode.Position(1, 8), '"');
    assert.deepEqual(values.items.map(({ label }) => label), ['"read-only"', '"workspace-write"']);
    assert.equal(document.getText(values.items[0].range), '"off"');
    const keys = (await ask("CompletionItem", new vscode.Position(2, 0))).items.map(({ insertText }) => insertText);
    assert.ok(keys.includes("network = ") && keys.includes("[limits]"), keys.join());
    assert.ok(!keys.includes("mode = ") && !keys.includes("[audit]"), keys.join());
    await write("");
  });

  it("of the user holds from the next command when it was saved, also when it had kept pillion from starting", async () => {
    await open(own, '[sandbox]\nmode = "read-only"\n');
    assert.equal(await document.save(), true);
    await until("a sandbox that only reads", async () => (await run("touch x")).exitCode !== 0);
    await write("x = 1\n");
    await document.save();
    await until("no pillion", async () => (await run("touch x")).exitCode === null);
    await write("");
    await document.save();
    await until("a sandbox that writes", async () => (await run("touch x")).exitCode === 0);
  });
});
