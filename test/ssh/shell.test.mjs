// What the login shell on the other machine does to a session.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, test } from "node:test";

import { connect, folder, home, late, nothingLeft, pillion, serve, soon, work } from "./remote.mjs";

const bashrc = path.join(home, ".bashrc");
const ssh = (...argv) => spawnSync("ssh", ["-F", path.join(work, "config"), ...argv], { encoding: "utf8", input: "" });
let session;

function starts(text) {
  writeFileSync(bashrc, text);
  chownSync(bashrc, 4242, 4242);
}

afterEach(async () => {
  session?.kill();
  session = undefined;
  rmSync(bashrc, { force: true });
  await nothingLeft();
});

test("a program that isn't on the short PATH of ssh is not found by its name", () => {
  const { status, stderr } = ssh("-T", "box", "pillion version");
  assert.equal(status, 127);
  assert.match(stderr, /pillion: command not found/);
  assert.equal(ssh("-T", "box", `${pillion} version`).status, 0);
});

test("a shell that greets on its output breaks the first header, and the client says so", async () => {
  starts("echo hi\n");
  session = connect(serve("box"));
  const answer = session.initialize();
  answer.catch(() => {});
  const error = await Promise.race([session.broken, answer, late(soon)]);
  assert.ok(error instanceof Error, JSON.stringify(error));
  assert.match(error.message, /"hi\\ncontent-length"/); // hi has become part of a header's name
});

test("a shell that greets on its error stream does no harm", async () => {
  starts("echo hi >&2\n");
  session = connect(serve("box"));
  await session.initialize();
  assert.match(session.log(), /^hi$/m);
});

test("a shell that greets only where a person sits does no harm", async () => {
  starts("case $- in *i*) ;; *) return ;; esac\necho hi\n");
  session = connect(serve("box"));
  await session.initialize();
  assert.equal((await session.connection.sendRequest("exec", { command: "true" })).exitCode, 0);
});

// The wrappers of docs/remote.md, word by word but for the machine.
const page = readFileSync(new URL("../../docs/remote.md", import.meta.url), "utf8");
const wrappers = [...page.matchAll(/```sh\n(#!\/bin\/sh\n[^`]*)```/g)].map(([, text]) => text
  .replaceAll("ssh -T box", `ssh -F ${work}/config -T box`).replaceAll("/usr/local/bin/pillion", pillion));

async function through(wrapper, ...argv) {
  const script = path.join(work, "wrapper");
  writeFileSync(script, wrapper, { mode: 0o755 });
  session = connect(argv, script);
  await session.initialize();
  const run = session.exec({ execId: "e", command: "echo through" });
  assert.equal((await run.done).exitCode, 0);
  assert.equal(run.bytes.toString(), "through\n");
  session.child.stdin.end();
  await nothingLeft();
}

test("a wrapper stands where a client wants a path, and hands on its arguments", async () => {
  assert.equal(wrappers.length, 2);
  await through(wrappers[0], "serve");
  assert.match(spawnSync(path.join(work, "wrapper"), ["version"], { encoding: "utf8" }).stdout, /^pillion /);
});

test("a wrapper that skips up to a mark gets past a greeting that can't be changed", async () => {
  starts("echo hi\necho 'and more'\n");
  await through(wrappers[1]);
});

test("a terminal of ssh's own echoes what it is sent, so there must be none", () => {
  const { stdout } = spawnSync("ssh", ["-F", path.join(work, "config"), "-tt", "box", `${pillion} serve`], {
    encoding: "utf8", input: "Content-Length: 2\r\n\r\n{}\x04", timeout: soon });
  assert.match(stdout, /^Content-Length: 2\r\n/); // our own header, back again
});

test("what is enforced is asked without a session", () => {
  const { status, stdout } = ssh("-T", "box", `cd ${folder} && ${pillion} doctor`);
  assert.equal(status, 0, stdout);
  assert.match(stdout, /^✓ workspace-write/m);
});

const over = (command) => connect(["-F", path.join(work, "config"), "-T", "box", command]);

test("commands find their programs on the PATH that the sidecar was given", async () => {
  const bin = path.join(folder, "bin");
  mkdirSync(bin);
  writeFileSync(path.join(bin, "greet"), "#!/bin/sh\necho greeted\n", { mode: 0o755 });
  try {
    session = over(`PATH=${bin}:$PATH exec ${pillion} serve`);
    await session.initialize();
    const { output } = await session.connection.sendRequest("exec", { argv: ["greet"] });
    assert.equal(output.stdout.text, "greeted\n");
  } finally {
    rmSync(bin, { recursive: true });
  }
});

test("where namespaces are refused, as in a container, it says so and confines without", async () => {
  session = over(`exec unshare --user --map-root-user sh -c 'echo 0 >/proc/sys/user/max_user_namespaces && exec ${pillion} serve'`);
  const { capabilities } = await session.initialize();
  assert.equal(capabilities.sandbox.rung, "no-userns");
  const outside = path.join(home, "outside");
  writeFileSync(path.join(folder, "out.sh"), `echo x >${outside} || echo refused`);
  const { output, sandbox } = await session.connection.sendRequest("exec", { argv: ["sh", "out.sh"] });
  assert.equal(output.stdout.text, "refused\n");
  assert.equal(sandbox.fsWrite, "enforced");
  assert.ok(!existsSync(outside));
});
