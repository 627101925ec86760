const assert = require("node:assert/strict");
const { existsSync, rmSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const vscode = require("vscode");
const { one, two, run, until } = require("./pillion.cjs");

describe("pillion.run", () => {
  it("answers exit code 0 and the output", async () => {
    const report = await run("echo grüße; echo oops >&2");
    assert.equal(report.status, "exited");
    assert.equal(report.exitCode, 0);
    assert.equal(report.output, "grüße\r\noops\r\n");
  });

  it("answers exit code 3", async () => {
    const report = await run("echo before; exit 3");
    assert.equal(report.status, "exited");
    assert.equal(report.exitCode, 3);
    assert.equal(report.output, "before\r\n");
  });

  it("runs in a terminal that is named after the command", async () => {
    await run("echo named");
    assert.ok(vscode.window.terminals.some((t) => t.name === "echo named"), vscode.window.terminals.map((t) => t.name).join());
  });

  it("runs in the sandbox, also if the workspace says otherwise", async () => {
    // In a script, so that the sandbox is what refuses it, not the guard.
    writeFileSync(join(one, "outside.sh"), `echo x > ${join(process.env.HOME, "outside")}; echo done\n`);
    const report = await run("sh outside.sh");
    assert.equal(report.result.sandbox.mode, "workspace-write");
    assert.equal(report.result.sandbox.fsWrite, "enforced");
    assert.match(report.output, /done/);
    assert.equal(existsSync(join(process.env.HOME, "outside")), false);
  });

  it("reruns the last command", async () => {
    await run("echo once >> rerun.txt; wc -l < rerun.txt");
    const report = await vscode.commands.executeCommand("pillion.rerun");
    assert.equal(report.output.trim(), "2");
  });

  it("runs what is selected in the editor", async () => {
    const file = join(one, "notes.txt");
    writeFileSync(file, "echo not\necho this; echo not\n");
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(file));
    editor.selection = new vscode.Selection(1, 0, 1, 9);
    assert.equal((await vscode.commands.executeCommand("pillion.runSelection")).output, "this\r\n");
  });

  it("says where a policy is wrong, and runs once it is mended and saved", async () => {
    const file = join(one, ".pillion.toml");
    writeFileSync(file, "");
    const save = async (text) => {
      const document = await vscode.workspace.openTextDocument(file);
      const edit = new vscode.WorkspaceEdit();
      edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
      await vscode.workspace.applyEdit(edit);
      assert.equal(await document.save(), true);
    };
    await save('# mine\n[sandbox]\nmode = "of"\n');
    const { status, mistake } = await until("the mistake", async () => {
      const report = await run("true");
      return report.status === "policyInvalid" && report;
    });
    assert.equal(status, "policyInvalid");
    assert.deepEqual([mistake.file, mistake.line], [file, 3]);
    await save("");
    await until("a policy that is right", async () => (await run("true")).exitCode === 0);
    rmSync(file);
  });

  it("refuses a cwd outside of the workspace, and says so", async () => {
    const report = await run("pwd", "/");
    assert.equal(report.status, "pathOutsideWorkspace");
    assert.equal(report.exitCode, null);
    assert.notEqual(report.message, "");
  });
});

describe("two folders", () => {
  it("both are open to one sidecar, and a command runs where it is told", async () => {
    assert.equal((await run("pwd", one)).output.trim(), one);
    assert.equal((await run("pwd", two)).output.trim(), two);
    assert.equal((await run(`cat ${join(one, "name.txt")}`, two)).output.trim(), "one");
  });

  for (const folder of [one, two]) {
    it(`without a cwd it is the active editor's folder: ${folder === one ? "the first" : "the second"}`, async () => {
      await vscode.window.showTextDocument(vscode.Uri.file(join(folder, "name.txt")));
      const report = await vscode.commands.executeCommand("pillion.run", { command: "pwd" });
      assert.equal(report.output.trim(), folder);
    });
  }
});
