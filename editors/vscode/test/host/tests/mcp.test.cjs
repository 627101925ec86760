const assert = require("node:assert/strict");
const { existsSync, readdirSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const vscode = require("vscode");
const { id, run, until, withSetting } = require("./pillion.cjs");

const able = Number(vscode.version.split(".")[1]) > 100;

/** The extension's own log channel, as VS Code keeps it in a file. */
function log() {
  const logs = join(process.env.HOME, "..", "data", "logs");
  const files = readdirSync(logs, { recursive: true }).filter((file) => /pillion\.pillion.*\.log$/.test(file));
  return files.map((file) => readFileSync(join(logs, file), "utf8")).join("");
}

describe("the MCP server provider", () => {
  if (!able) {
    it("is not registered where VS Code throws: the log says so, and commands run", async () => {
      await until("the reason in the log", () => log().includes("no MCP server is offered: "));
      assert.equal((await run("true")).exitCode, 0);
    });
    return;
  }

  // What VS Code knows is a proposed interface, which only this test's own package.json asks for.
  const offered = () => vscode.lm.mcpServerDefinitions.map(({ label, command }) => ({ label, command }));
  const command = join(vscode.extensions.getExtension(id).extensionPath, "bin", "pillion-mcp");

  if (!existsSync(command)) {
    it("offers nothing if no pillion-mcp came in the .vsix, and says so in the log", async () => {
      await until("the reason in the log", () => log().includes(`no MCP server is offered: ${command} is not there`));
      assert.deepEqual(offered(), []);
    });
    return;
  }

  it("offers the pillion-mcp that came in the .vsix", async () => {
    await until("a server", () => offered().length > 0);
    assert.deepEqual(offered(), [{ label: "pillion", command }]);
  });

  it("offers none while settings tighten what it would not know of", async () => {
    await withSetting("pillion.sandbox.mode", "read-only", () => until("no server", () => offered().length === 0));
    await until("a server again", () => offered().length > 0);
  });
});
