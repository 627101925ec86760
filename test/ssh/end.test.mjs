// However a session over ssh ends, all of it ends on the other machine; and other events
// do not end it.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import path from "node:path";
import { spawnSync } from "node:child_process";

import { busy, connect, late, network, nothingLeft, pause, serve, sessionOfSshd, sidecars, soon, theirs, until, work } from "./remote.mjs";

let session;
afterEach(async () => {
  session?.kill();
  await nothingLeft();
});

test("a client that says goodbye ends it with 0", async () => {
  session = connect(serve("box"));
  await session.initialize();
  await session.connection.sendRequest("shutdown");
  await session.connection.sendNotification("exit");
  assert.equal(await session.exited, 0);
  await nothingLeft();
});

test("a client that closes its end takes everything with it", async () => {
  session = await busy("box");
  session.child.stdin.end();
  assert.equal(await session.exited, 1); // ssh hands on the exit code
  await nothingLeft();
});

test("an ssh that is killed takes everything with it", async () => {
  session = await busy("box");
  session.child.kill("SIGKILL");
  await nothingLeft();
});

test("an ssh that is killed while it doesn't read takes everything with it", async () => {
  session = connect(serve("box"));
  await session.initialize();
  const run = session.exec({ execId: "flood", command: "yes", timeoutMs: 600_000, output: { streamMaxBytes: 1 << 30, onSpoolFull: "block" } });
  await run.until("y\n");
  session.child.kill("SIGSTOP");
  await pause(2000); // until every buffer on the way is full
  assert.equal(sidecars().length, 1);
  session.child.kill("SIGKILL");
  await nothingLeft();
});

test("a connection that is cut on the other side takes everything with it", async () => {
  session = await busy("box");
  process.kill(sessionOfSshd(), "SIGKILL");
  assert.equal(await session.exited, 255);
  await nothingLeft();
});

test("an ssh that is stopped is no end: it goes on where it was", async () => {
  session = connect(serve("box"));
  await session.initialize();
  const run = session.exec({ execId: "slow", command: "for i in 1 2 3 4 5 6; do echo $i; sleep 0.5; done" });
  await run.until("1\n");
  session.child.kill("SIGSTOP");
  await pause(4000);
  assert.equal(sidecars().length, 1);
  session.child.kill("SIGCONT");
  assert.equal((await run.done).exitCode, 0);
  assert.equal(run.bytes.toString(), "1\n2\n3\n4\n5\n6\n");
});

test("a dead network is noticed by an sshd with ClientAliveInterval", async () => {
  session = await busy("box-alive");
  network("down");
  try {
    await nothingLeft(20_000);
  } finally {
    network("up");
  }
});

test("a dead network is not noticed by an sshd without it, and one that comes back loses nothing", async () => {
  session = connect(serve("box"));
  await session.initialize();
  const run = session.exec({ execId: "slow", command: "echo up; sleep 2; seq 1000; sleep 8; echo end" });
  await run.until("up\n");
  network("down");
  try {
    await pause(6000); // the other sshd takes less than that
    assert.equal(sidecars().length, 1);
  } finally {
    network("up");
  }
  assert.equal((await run.done).exitCode, 0);
  assert.equal(run.bytes.toString(), ["up", ...Array.from({ length: 1000 }, (_, i) => i + 1), "end", ""].join("\n"));
});

test("the client's own ssh notices a dead network with ServerAliveInterval", async () => {
  session = await busy("box-alive", "-o", "ServerAliveInterval=1", "-o", "ServerAliveCountMax=2");
  network("down");
  try {
    assert.equal(await Promise.race([session.exited, late(soon)]), 255);
    await nothingLeft(20_000);
  } finally {
    network("up");
  }
});

// One connection for several sessions, which outlives the ssh of each.
const shared = ["-o", `ControlPath=${path.join(work, "control")}`, "-o", "ControlMaster=auto", "-o", "ControlPersist=60"];

test("over a shared connection, too, a killed ssh takes its own session with it and no other", async () => {
  session = await busy("box", ...shared);
  const other = connect(serve("box", ...shared));
  try {
    await other.initialize();
    assert.equal(sidecars().length, 2);
    session.child.kill("SIGKILL");
    await until(() => !theirs().some((p) => p.line === "sleep 600") && sidecars().length === 1);
    const run = other.exec({ execId: "still", command: "echo here" });
    assert.equal((await run.done).exitCode, 0);
    assert.equal(run.bytes.toString(), "here\n");
  } finally {
    other.kill();
    await until(() => sidecars().length === 0);
    spawnSync("ssh", [...shared.slice(0, 2), "-F", path.join(work, "config"), "-O", "exit", "box"]);
  }
});
