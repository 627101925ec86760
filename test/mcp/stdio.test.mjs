// What goes over the two streams, without any library in between.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { bin, processes, raw, world } from "./host.mjs";

async function start(t, args) {
  const w = await world();
  const server = raw(w, args);
  t.after(async () => {
    server.child.stdin.destroy();
    server.child.stdout.destroy();
    await server.exited;
    await w.remove();
  });
  return server;
}

const exec = (id, command, meta) => ({ id, method: "tools/call", params: { name: "exec", arguments: { command }, ...(meta && { _meta: meta }) } });

test("nothing but protocol comes on standard output, whatever commands do", async (t) => {
  const server = await start(t);
  await server.initialize();
  server.send(exec(1, 'echo noise; echo noise >&2; for f in 0 1 2 3 4 5 6 7 8 9; do eval "echo noise >&$f" 2>/dev/null; done; echo x > /dev/tty; echo x > /proc/$PPID/fd/1', { progressToken: "p" }));
  server.send({ id: 2, method: "tools/list" });
  server.send({ id: 3, method: "no/such/method" });
  await Promise.all([server.answer(1), server.answer(2), server.answer(3)]);
  server.child.stdin.end();
  assert.equal(await server.exited, 0);
  assert.ok(server.all().endsWith("\n"));
  for (const m of server.messages()) { // throws on a line that is not JSON
    assert.equal(m.jsonrpc, "2.0");
    assert.ok(m.id !== undefined || m.method === "notifications/progress", JSON.stringify(m));
  }
});

test("all of the output is told before the result, in its order", async (t) => {
  const server = await start(t);
  await server.initialize();
  server.send(exec(1, "for i in 1 2 3 4 5; do echo $i; sleep 0.03; done", { progressToken: "p" }));
  await server.answer(1);
  server.send({ id: 2, method: "ping" });
  await server.answer(2);
  const told = server.messages().slice(1); // after the answer to initialize
  assert.equal(told.findIndex((m) => m.id === 1), told.length - 2, "nothing is told behind the result");
  assert.equal(told.slice(0, -2).map((m) => m.params.message).join(""), "started1\n2\n3\n4\n5\n");
});

for (const [name, line] of Object.entries({
  "is no JSON": "{oops",
  "is half a message": '{"jsonrpc":"2.0","id":7,"method":',
  "is a list of messages": '[{"jsonrpc":"2.0","id":7,"method":"ping"}]',
  "is no object": "7",
  "has a member twice": '{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}',
  "has an id that is none": '{"jsonrpc":"2.0","id":{},"method":"ping"}',
  "has another version": '{"jsonrpc":"1.0","id":7,"method":"ping"}',
  "is nested too deep": '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":' + "[".repeat(100) + "]".repeat(100) + "}}",
  "is longer than a message may be": '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"' + "x".repeat(17 << 20) + '"}}',
  "is an answer to nothing": '{"jsonrpc":"2.0","id":99,"result":{}}',
  "cancels nothing": '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}',
  "cancels without an id": '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}',
  "cancels an id that is none": '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
  "is a notification that nobody knows": '{"jsonrpc":"2.0","method":"notifications/unknown","params":{}}',
  "initializes again": '{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}',
  "is empty": "",
})) {
  test(`a line that ${name} costs nothing but itself: what runs goes on`, async (t) => {
    const server = await start(t);
    await server.initialize();
    server.send(exec(1, "sleep 0.3; echo done"));
    await sleep(50);
    server.send(line);
    server.send(exec(2, "echo next"));
    assert.equal((await server.answer(2)).result.structuredContent.output, "next\n");
    assert.equal((await server.answer(1)).result.structuredContent.output, "done\n");
  });
}

test("an argument that occurs twice, or in other letters, is refused", async (t) => {
  const server = await start(t);
  await server.initialize();
  for (const [id, args] of [[1, '{"command":"true","command":"touch x"}'], [2, '{"command":"true","Network":"allow"}'], [3, '{"command":null}'], [4, "[]"], [5, '{"command":"a\\u0000b"}']]) {
    server.send(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"exec","arguments":${args}}}`);
    const { result, error } = await server.answer(id);
    assert.ok(error || result.structuredContent.error.kind === "invalidParams", JSON.stringify(result));
  }
});

for (const [name, end] of Object.entries({
  "its input ends": (server) => server.child.stdin.end(),
  "it is told to end": (server) => server.child.kill("SIGTERM"),
  "it is killed": (server) => server.child.kill("SIGKILL"),
})) {
  test(`nothing that was started is left when ${name}`, async (t) => {
    const server = await start(t);
    await server.initialize();
    const seconds = 86500 + process.pid % 100 + name.length / 100;
    const sleepers = `sleep ${seconds}`;
    server.send(exec(1, `setsid ${sleepers} & trap '' TERM; ${sleepers}`));
    while ((await processes(sleepers)).length < 2) await sleep(10);
    end(server);
    const code = await Promise.race([server.exited, sleep(8000, "it still runs", { ref: false })]);
    assert.equal(code, name === "it is killed" ? "SIGKILL" : 0);
    for (let tries = 0; (await processes(sleepers)).length && tries < 300; tries++) await sleep(10); // the killed one's are ended by the kernel
    assert.deepEqual(await processes(sleepers), []);
  });
}

test("a host that reads nothing holds up neither a command nor the end", async (t) => {
  const server = await start(t);
  await server.initialize();
  server.child.stdout.pause();
  server.send(exec(1, "yes | head -c 20000000 > big; cat big; touch finished", { progressToken: 1 }));
  await sleep(500);
  server.child.stdin.end();
  const code = await Promise.race([server.exited, sleep(10000, "it still runs", { ref: false })]);
  assert.equal(code, 0);
});

test("its command line says what is wrong, and what it is", async (t) => {
  const w = await world();
  t.after(() => w.remove());
  const run = (...args) => spawnSync(bin, args, { env: w.env, cwd: w.folder, encoding: "utf8", input: "" });
  const missing = run("--root", "/no/such/place");
  assert.deepEqual([missing.status, missing.stdout, missing.stderr], [2, "", "pillion-mcp: --root: stat /no/such/place: no such file or directory\n"]);
  assert.match(run("--help").stdout, /tools exec, answer, check, read_output and undo/);
  assert.match(run("--version").stdout, /^pillion-mcp \S+ \w+\/\w+ go/);
  assert.equal(run("surplus").status, 2);
  assert.equal(run("--rooot", "/").stderr, "pillion-mcp: unknown flag: --rooot; did you mean --root?\n");
});

test("a newer version of the protocol is answered with one that both know", async (t) => {
  const server = await start(t);
  server.send({ id: 1, method: "server/discover", params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": { name: "x", version: "1" }, "io.modelcontextprotocol/clientCapabilities": {} } } });
  assert.deepEqual((await server.answer(1)).error.data.supported, ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]);
  server.send({ id: 2, method: "initialize", params: { protocolVersion: "2026-07-28", capabilities: {}, clientInfo: { name: "x", version: "1" } } });
  assert.equal((await server.answer(2)).result.protocolVersion, "2025-11-25");
});

test("an old version is spoken, too", async (t) => {
  const server = await start(t);
  server.send({ id: 1, method: "initialize", params: { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "x", version: "1" } } });
  assert.equal((await server.answer(1)).result.protocolVersion, "2024-11-05");
  server.send({ method: "notifications/initialized" });
  server.send(exec(2, "echo old"));
  assert.equal((await server.answer(2)).result.content[0].text, "old\n");
});
