import assert from "node:assert/strict";
import processes from "../lib/processes.cjs";
import until from "../lib/until.cjs";
import { page, run, terminal, tidy, toast } from "../lib/window.mjs";

const nap = (digit) => `86421.${process.pid % 1000}${digit}`;
const asleep = (seconds) => processes.withArgs("sleep", seconds);

describe("a command that takes long", () => {
  after(tidy);

  it("has a progress notification whose Cancel ends its whole process tree", async () => {
    const seconds = nap(1);
    await run(`sleep ${seconds} & sleep ${seconds}; wait`);
    await until("both processes", () => asleep(seconds).length === 2);
    const progress = toast("sleep");
    await progress.getByRole("button", { name: "Cancel" }).click();
    await terminal.rows("cancelled");
    await until("the end of both", () => asleep(seconds).length === 0);
    await progress.waitFor({ state: "hidden" });
  });
});

describe("a sidecar that is killed", () => {
  after(tidy);

  it("its run is reported interrupted, in the terminal and in a notification", async () => {
    const seconds = nap(2);
    await run(`sleep ${seconds}`);
    await until("the command", () => asleep(seconds).length === 1);
    const all = processes.processes();
    // The sidecar is the nearest ancestor of the command that serves.
    const ancestor = ({ ppid }) => all.find((p) => p.pid === ppid);
    let sidecar = asleep(seconds)[0];
    while (sidecar && !(sidecar.args.includes("serve"))) sidecar = ancestor(sidecar);
    process.kill(sidecar.pid, "SIGKILL");
    await terminal.rows("interrupted");
    await toast("interrupted").waitFor();
    await until("the end of the command", () => asleep(seconds).length === 0);
  });

  it("another one takes its place, and the next run works", async () => {
    await run("echo recovered");
    await terminal.rows("pillion: exit 0");
    assert.ok((await terminal.rows("recovered")).includes("recovered"));
  });
});
