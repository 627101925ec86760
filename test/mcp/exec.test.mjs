// What an agent sees of commands that run.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";

import { connect, processes } from "./host.mjs";

test("the tools are announced, with hints that are true and closed arguments", async (t) => {
  const host = await connect(t);
  const { tools } = await host.client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).sort(), ["answer", "check", "exec", "read_output", "undo"]);
  for (const { name, annotations, inputSchema } of tools) {
    assert.equal(inputSchema.additionalProperties, false, name);
    const writes = ["answer", "exec", "undo"].includes(name);
    assert.equal(annotations.readOnlyHint ?? false, !writes, name);
    assert.equal(annotations.destructiveHint, writes, name);
    assert.equal(annotations.openWorldHint, false, "the default policy has no network");
    assert.deepEqual(Object.keys(inputSchema.properties).filter((member) => /approv|decision|accept|grant/i.test(member)), [], "no model answers for a person");
  }
});

test("a policy that lets commands reach the network is announced as an open world", async (t) => {
  const host = await connect(t, { policy: "allowNetwork = true\n" });
  const { tools } = await host.client.listTools();
  assert.equal(tools.find((tool) => tool.name === "exec").annotations.openWorldHint, true);
});

test("a policy that lets commands write nothing is announced as read-only", async (t) => {
  const host = await connect(t, { policy: '[sandbox]\nmode = "read-only"\n' });
  const { tools } = await host.client.listTools();
  assert.equal(tools.find((tool) => tool.name === "exec").annotations.readOnlyHint, true);
  const result = await host.exec("touch here");
  assert.notEqual(result.structuredContent.exitCode, 0);
});

test("a command runs in the sandbox and returns its output in order, its exit code and what held", async (t) => {
  const host = await connect(t);
  const result = await host.exec("echo one; echo two >&2; echo three; exit 3");
  assert.equal(result.isError ?? false, false, "a command that fails is no tool that fails");
  assert.equal(result.content[0].text, "one\ntwo\nthree\nExit code: 3");
  const { started, exitCode, reason, output, totalBytes, sandbox } = result.structuredContent;
  assert.deepEqual({ started, exitCode, reason, output, totalBytes }, { started: true, exitCode: 3, reason: "exited", output: result.content[0].text, totalBytes: 14 });
  assert.match(sandbox, /^workspace-write, network denied/);
});

test("arguments reach the command: argv, cwd, env, stdin", async (t) => {
  const host = await connect(t);
  await host.exec("mkdir -p 'a b'");
  const result = await host.exec({ argv: ["sh", "-c", 'printf "%s|" "$PWD" "$X" "$(cat)" "$@"', "sh", "$HOME", "* "], cwd: "a b", env: { X: "y" }, stdin: "from\nstdin" });
  assert.equal(result.structuredContent.output, `${host.folder}/a b|y|from\nstdin|$HOME|* |`);
});

test("several commands stop at the one that fails, and each has its end", async (t) => {
  const host = await connect(t);
  const result = await host.exec({ commands: ["echo a", "false", "echo never"] });
  assert.deepEqual(result.structuredContent.steps.map((s) => s.reason), ["exited", "exited", "skipped"]);
  assert.doesNotMatch(result.structuredContent.output, /^never/m);
});

test("progress comes while the command runs", async (t) => {
  const host = await connect(t);
  let told = "";
  const progress = [];
  const result = await host.exec("echo first; while [ ! -e go ]; do sleep 0.01; done; echo second", {
    onprogress: async (p) => {
      progress.push(p.progress);
      told += p.message;
      if (p.message.includes("first")) await writeFile(path.join(host.folder, "go"), ""); // what ends it
    },
  });
  assert.equal(result.structuredContent.exitCode, 0);
  // What comes just before the result is lost in the SDK's client if it reads both at once.
  assert.ok("startedfirst\nsecond\n".startsWith(told) && told.startsWith("startedfirst\n"), told);
  assert.deepEqual(progress, [...progress].sort((a, b) => a - b), "progress grows");
  assert.equal(new Set(progress).size, progress.length, "with every notification");
});

test("what a terminal would obey is spelled out in progress", async (t) => {
  const host = await connect(t);
  let told = "";
  await host.exec("printf 'a\\033]52;c;eA==\\007b\\n'; while [ ! -e go ]; do sleep 0.01; done", {
    onprogress: async (p) => {
      told += p.message;
      if (p.message.includes("b\n")) await writeFile(path.join(host.folder, "go"), "");
    },
  });
  assert.equal(told, "starteda\\u001b]52;c;eA==\\u0007b\n");
});

test("a cancel ends the command and everything that it started", async (t) => {
  const host = await connect(t);
  const source = new AbortController();
  const call = host.exec("sleep 86411 & sleep 86412 & wait", {
    signal: source.signal,
    onprogress: async () => {
      while ((await processes("sleep 8641")).length < 2);
      source.abort("enough");
    },
  });
  await assert.rejects(call, /enough/);
  while ((await processes("sleep 8641")).length);
  const next = await host.exec("echo on");
  assert.equal(next.structuredContent.output, "on\n", "the session goes on");
});

test("a command that takes too long is ended, and what it had printed is there", async (t) => {
  const host = await connect(t);
  const result = await host.exec({ command: "echo before; sleep 86413", timeoutMs: 3000 });
  assert.equal(result.structuredContent.reason, "timedOut");
  assert.match(result.structuredContent.output, /^before\n/);
  assert.deepEqual(await processes("sleep 86413"), []);
});

test("what the sandbox refuses is told beside the output", async (t) => {
  const host = await connect(t);
  await host.exec("git init -q");
  await writeFile(path.join(host.folder, "script"), "echo x > .git/hooks/pre-commit"); // the guard doesn't read it
  const result = await host.exec("sh script");
  assert.notEqual(result.structuredContent.exitCode, 0);
  assert.match(result.content[1].text, /^pillion: refused: .*\.git\/hooks\/pre-commit/);
  assert.equal(result.structuredContent.refused[0].rule, ".git/hooks");
});

test("big output is cut in the middle, and read_output has all of it", async (t) => {
  const host = await connect(t);
  let told = 0;
  const result = await host.exec("seq 1 300000", { onprogress: (p) => { told += p.message.length; } });
  const { execId, truncated, totalBytes, output } = result.structuredContent;
  const whole = Array.from({ length: 300000 }, (_, i) => i + 1 + "\n").join("");
  assert.equal(totalBytes, whole.length);
  assert.equal(truncated, true);
  assert.ok(output.length < 21000 && output.startsWith("1\n2\n") && output.endsWith("\n300000\n"), output.slice(-100));
  assert.match(result.content.at(-1).text, new RegExp(`read_output {"execId":"${execId}","offset":0}`));
  assert.ok(told < 300000, `${told} characters of progress`);

  let read = "";
  for (let offset = 0, eof = false; !eof; ) {
    const page = await host.call("read_output", { execId, offset, maxBytes: 200000 });
    assert.equal(page.structuredContent.offset, offset);
    assert.equal(page.content[0].text, page.structuredContent.text);
    read += page.structuredContent.text;
    ({ nextOffset: offset, eof } = page.structuredContent);
  }
  assert.equal(read, whole);
  const tail = await host.call("read_output", { execId, offset: -7 });
  assert.equal(tail.structuredContent.text, "300000\n");
});

test("output that is no text is read as base64, every byte of it", async (t) => {
  const host = await connect(t);
  const { structuredContent: { execId } } = await host.exec("printf '\\377\\000\\376x'");
  const page = await host.call("read_output", { execId });
  assert.deepEqual([...Buffer.from(page.structuredContent.data, "base64")], [255, 0, 254, 120]);
});

test("output of a command that never was is an error that says so", async (t) => {
  const host = await connect(t);
  const page = await host.call("read_output", { execId: "run-99" });
  assert.equal(page.isError, true);
  assert.equal(page.structuredContent.error.kind, "unknownExec");
});

test("many commands at once all answer, each with its own output", async (t) => {
  const host = await connect(t);
  const results = await Promise.all(Array.from({ length: 24 }, (_, i) => host.exec(`sleep 0.1; echo n${i}`, { onprogress() {} })));
  assert.deepEqual(results.map((r) => r.structuredContent.output), Array.from({ length: 24 }, (_, i) => `n${i}\n`));
});

test("a server is started, waited for, read and stopped; the next command finds it meanwhile", async (t) => {
  const host = await connect(t);
  const call = (name, args) => host.client.callTool({ name, arguments: args });
  const get = { argv: ["python3", "-c", "import urllib.request as u; print(u.urlopen('http://127.0.0.1:8124/page').read())"] };
  const up = await host.exec({ command: "echo hello >page; exec python3 -u -m http.server 8124", server: true });
  const { execId, listening } = up.structuredContent;
  assert.equal(listening?.port, 8124, JSON.stringify(up));
  assert.match((await host.exec(get)).content[0].text, /hello/);
  assert.match((await call("read_output", { execId, offset: -2000 })).content[0].text, /GET \/page/);
  assert.equal((await call("answer", { execId, stop: true })).structuredContent.reason, "cancelled");
  assert.notEqual((await host.exec(get)).structuredContent.exitCode, 0);
});
