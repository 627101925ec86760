const assert = require("node:assert/strict");
const { readdirSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const vscode = require("vscode");
const { until } = require("./pillion.cjs");

const able = Number(vscode.version.split(".")[1]) > 100;

/** The extension's own log channel, as VS Code keeps it in a file. */
function log() {
  const logs = join(process.env.HOME, "..", "data", "logs");
  const files = readdirSync(logs, { recursive: true }).filter((file) => /pillion\.pillion.*\.log$/.test(file));
  return files.map((file) => readFileSync(join(logs, file), "utf8")).join("");
}

describe("the MCP server provider", () => {
  it(able ? "is registered" : "is not registered where VS Code throws, and says so in the log", async () => {
    await until("the extension's log", () => log().includes("starting"));
    assert.equal(/no MCP server is offered/.test(log()), !able, log());
  });
});
