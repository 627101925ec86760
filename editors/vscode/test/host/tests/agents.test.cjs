const assert = require("node:assert/strict");
const { mkdirSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const vscode = require("vscode");
const { one, two, until } = require("./pillion.cjs");
const { withArgs } = require(join(__dirname, "..", "..", "ui", "lib", "processes.cjs"));

const invoke = (input, token) => vscode.lm.invokeTool("pillion_run", { input, toolInvocationToken: undefined }, token);
const text = (result) => result.content.map((part) => part.value).join("");

describe("the language model tool", () => {
  it("is listed with its schema", () => {
    const tool = vscode.lm.tools.find(({ name }) => name === "pillion_run");
    assert.ok(tool, "pillion_run is not listed");
    assert.equal(tool.inputSchema.properties.command.type, "string");
    assert.deepEqual(tool.inputSchema.required, ["command"]);
    assert.notEqual(tool.description, "");
  });

  it("answers the output and the exit code", async () => {
    const answer = text(await invoke({ command: "echo for a model; exit 5" }));
    assert.match(answer, /for a model/);
    assert.match(answer, /\b5\b/);
  });

  it("runs where it is told", async () => {
    assert.ok(text(await invoke({ command: "pwd", cwd: two })).includes(two));
    assert.ok(text(await invoke({ command: "pwd" })).includes(one));
  });

  it("says why a command was denied", async () => {
    const answer = text(await invoke({ command: "rm -rf ~" }));
    assert.match(answer, /Nothing was run/);
    assert.match(answer, /fs\/delete-system/);
  });

  it("says what the sandbox refused, and how the command ended", async () => {
    writeFileSync(join(one, "tool.sh"), "echo hook >.git/hooks/pre-commit; echo done\n");
    mkdirSync(join(one, ".git/hooks"), { recursive: true });
    const answer = text(await invoke({ command: "sh tool.sh" }));
    assert.match(answer, /done/);
    assert.match(answer, /pillion: refused: .*hooks/);
    assert.match(answer, /exit 0 · .* · workspace-write, network by address book$/);
  });

  it("says what was printed before the time was over", async () => {
    const answer = text(await invoke({ command: "echo partial; sleep 600", timeoutMs: 5000 }));
    assert.match(answer, /partial/);
    assert.match(answer, /timed out/);
  });

  it("ends the command when it is cancelled", async () => {
    const nap = `86417.${process.pid % 1000}1`;
    const source = new vscode.CancellationTokenSource();
    const answer = invoke({ command: `sleep ${nap}` }, source.token);
    answer.catch(() => {}); // looked at below
    await until("the command", () => withArgs("sleep", nap).length > 0);
    source.cancel();
    await assert.rejects(answer, /cancel/i);
    await until("the end of the command", () => withArgs("sleep", nap).length === 0);
  });
});
