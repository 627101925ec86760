const assert = require("node:assert/strict");
const { existsSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const vscode = require("vscode");
const { one, until } = require("./pillion.cjs");

/** Runs a task of tasks.json; answers its exit code. */
async function execute(name) {
  const task = await until(`the task ${name}`, async () => (await vscode.tasks.fetchTasks({ type: "pillion" })).find((t) => t.name === name));
  assert.equal(task.definition.type, "pillion");
  const ended = new Promise((resolve) => {
    const listening = vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) => {
      if (execution.task.name !== name) return;
      listening.dispose();
      resolve(exitCode);
    });
  });
  await vscode.tasks.executeTask(task);
  return ended;
}

describe("a pillion task of tasks.json", () => {
  it("runs in its folder and ends with 0", async () => {
    assert.equal(await execute("well"), 0);
    assert.equal(existsSync(join(one, "task.txt")), true);
  });

  it("ends with the exit code of its command, and not so soon that VS Code says it failed to launch", async () => {
    const before = Date.now();
    assert.equal(await execute("broken"), 7);
    assert.ok(Date.now() - before > 500);
  });

  it("gives its command the variables of its env", async () => {
    assert.equal(await execute("env"), 0);
    assert.equal(readFileSync(join(one, "env.txt"), "utf8"), "grüße\n");
  });

  it("does not end with 0 if its command was denied", async () => {
    const code = await execute("denied");
    assert.notEqual(code, 0);
    assert.notEqual(code, undefined);
  });
});
