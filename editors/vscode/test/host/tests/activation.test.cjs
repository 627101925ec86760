const assert = require("node:assert/strict");
const { existsSync } = require("node:fs");
const { join } = require("node:path");
const vscode = require("vscode");
const { id, one, run, sidecar, until } = require("./pillion.cjs");

describe("activation", () => {
  it("comes by itself once VS Code has started", async () => {
    const extension = vscode.extensions.getExtension(id);
    assert.ok(extension, `${id} is not installed`);
    await until("activation", () => extension.isActive);
  });

  it("registers every command that package.json offers", async () => {
    const offered = vscode.extensions.getExtension(id).packageJSON.contributes.commands.map((c) => c.command);
    const known = await vscode.commands.getCommands(true);
    assert.deepEqual(offered.filter((command) => !known.includes(command)), []);
    for (const name of ["run", "rerun", "cancel", "showOutput", "restart", "doctor", "showVersion"]) {
      assert.ok(offered.includes(`pillion.${name}`), `pillion.${name} is not offered`);
    }
  });

  it("starts the pillion that came in the .vsix, not one that the workspace names", async () => {
    await run("true");
    const { args } = await sidecar();
    assert.equal(args[0], join(vscode.extensions.getExtension(id).extensionPath, "bin", "pillion"));
    assert.equal(existsSync(join(one, "the-workspace-chose-the-binary")), false);
  });
});
