const assert = require("node:assert/strict");
const { existsSync, readdirSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const vscode = require("vscode");
const { id, run, until } = require("./pillion.cjs");

const able = Number(vscode.version.split(".")[1]) > 100;

/** The extension's own log channel, as VS Code keeps it in a file. */
function log() {
  const logs = join(process.env.HOME, "..", "data", "logs");
  const files = readdirSync(logs, { recursive: true }).filter((file) => /pillion\.pillion.*\.log$/.test(file));
  return files.map((file) => readFileSync(join(logs, file), "utf8")).join("");
}

describe("the MCP server provider", () => {
  it(able ? "is registered" : "is not registered where VS Code throws: the log says so, and commands run", async () => {
    await until("the extension's log", () => log().includes("starting"));
    assert.equal(/no MCP server is offered/.test(log()), !able, log());
    assert.equal((await run("true")).exitCode, 0);
  });

  // What VS Code knows is a proposed interface, which only this test's own package.json asks for.
  if (able) it("offers the server that came in the .vsix, and nothing else", async () => {
    const command = join(vscode.extensions.getExtension(id).extensionPath, "bin", "pillion-mcp");
    const expected = existsSync(command) ? [{ label: "pillion", command }] : [];
    const offered = () => vscode.lm.mcpServerDefinitions;
    await until(`${expected.length} servers`, () => offered().length === expected.length);
    assert.deepEqual(offered().map(({ label, command }) => ({ label, command })), expected);
  });
});
