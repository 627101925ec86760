const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const vscode = require("vscode");
const { one, run, sidecar, until } = require("./pillion.cjs");
const { withArgs } = require(join(__dirname, "..", "..", "ui", "lib", "processes.cjs"));

describe("pillion.restart", () => {
  it("starts another sidecar, and ends the old one", async () => {
    const before = (await sidecar()).pid;
    await vscode.commands.executeCommand("pillion.restart");
    assert.equal((await run("echo again")).exitCode, 0);
    assert.notEqual((await sidecar()).pid, before);
  });
});

describe("a sidecar that is killed in the middle of a run", () => {
  const nap = `86413.${process.pid % 1000}1`; // so that nobody else sleeps as long
  let killed;
  let report;

  before(async () => {
    killed = (await sidecar()).pid;
    const running = run(`echo line >> replayed.txt; sleep ${nap}`);
    await until("the command", () => withArgs("sleep", nap).length > 0);
    process.kill(killed, "SIGKILL");
    report = await running;
  });

  it("the run is reported interrupted", () => {
    assert.equal(report.status, "interrupted");
    assert.equal(report.exitCode, null);
    assert.match(report.message, /interrupted/);
  });

  it("its processes are ended", () => until("the end of the command", () => withArgs("sleep", nap).length === 0));

  it("the next run works, with another sidecar", async () => {
    const next = await run("echo recovered");
    assert.equal(next.exitCode, 0);
    assert.equal(next.output, "recovered\r\n");
    assert.notEqual((await sidecar()).pid, killed);
  });

  it("the interrupted run is not replayed", async () => {
    assert.equal(readFileSync(join(one, "replayed.txt"), "utf8"), "line\n");
    assert.equal(withArgs("sleep", nap).length, 0);
  });
});
