import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import processes from "../lib/processes.cjs";
import until from "../lib/until.cjs";
import { command, home, run, settings, status, terminal, tidy, toast } from "../lib/window.mjs";

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

describe("a server of another version", () => {
  after(tidy);

  it("is refused in one sentence, with the setting, what was found and what is required", async () => {
    const other = join(home, "other-pillion");
    writeFileSync(other, "#!/bin/sh\necho 'pillion 0.0.9'\n", { mode: 0o755 });
    settings({ "pillion.server.path": other });
    await toast("0.0.9").waitFor();
    const said = await toast("0.0.9").locator(".notification-list-item-message").innerText();
    for (const part of ["pillion.server.path", other, "0.0.9", "required"]) assert.ok(said.includes(part), `${part} is not in: ${said}`);
    await status().filter({ hasText: "pillion: stopped" }).waitFor();
  });

  it("a command says the same, and does not run", async () => {
    await run("touch ran");
    await terminal.rows("pillion.server.path");
  });

  it("is forgotten when the setting is corrected", async () => {
    settings({});
    await status().filter({ hasText: "pillion: enforced" }).waitFor();
    await command("pillion: Restart Server");
    await run("echo back");
    await terminal.rows("pillion: exit 0");
  });
});
