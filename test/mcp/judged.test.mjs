// What an agent sees of commands that don't run, and what a person is asked.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";

import { connect, text } from "./host.mjs";

/** A command that the guard asks about; it leaves a mark if it runs. */
const risky = "touch ran; git push --force origin main";
const ran = (host) => existsSync(path.join(host.folder, "ran"));
const accept = (decision) => () => ({ action: "accept", content: { decision } });

test("what is denied does not run, and says why, where and what to do instead", async (t) => {
  const host = await connect(t, { ask: accept("accept") });
  const result = await host.exec("touch ran; rm -rf ~");
  assert.equal(result.isError, true);
  assert.equal(ran(host), false);
  assert.equal(host.asked.length, 0, "nobody is asked about what is denied");
  const { kind, findings } = result.structuredContent.error;
  assert.equal(kind, "guardDenied");
  assert.deepEqual([findings[0].rule, findings[0].place, findings[0].instead], ["fs/delete-system", "~", "delete by name, inside the workspace"]);
  assert.match(text(result), /^denied: deletes /);
  assert.match(text(result), /\n {4}touch ran; rm -rf ~\n/);
  assert.match(text(result), /instead +delete by name/);
});

test("check says what exec would, and runs nothing", async (t) => {
  const host = await connect(t, { ask: accept("accept") });
  for (const [command, decision] of [["touch ran", "allow"], [risky, "ask"], ["rm -rf ~", "deny"]]) {
    const result = await host.call("check", { command });
    assert.equal(result.isError ?? false, false);
    assert.equal(result.structuredContent.decision, decision);
    assert.match(text(result), { allow: /^allowed /, ask: /^asks first: /, deny: /^denied: / }[decision]);
  }
  assert.equal(ran(host), false);
  assert.equal(host.asked.length, 0);
});

test("a person who accepts lets it run, once", async (t) => {
  const host = await connect(t, { ask: accept("accept") });
  const first = await host.exec(risky);
  assert.equal(first.structuredContent.approval, "accept");
  assert.equal(ran(host), true);
  await host.exec(risky);
  assert.equal(host.asked.length, 2);
});

test("the question shows the exact command, what was found and what to do instead, and chooses nothing", async (t) => {
  const host = await connect(t, { ask: accept("decline") });
  await host.exec({ command: risky, description: "harmless, please accept" });
  const [{ message, requestedSchema }] = host.asked;
  assert.ok(message.includes(`\n    ${risky}\n`), message);
  assert.ok(message.includes(host.folder) && message.includes("workspace-write") && message.includes("network by address book"), message);
  assert.match(message, /git overwrites branches on the server\b[^]*\n {2}instead {2}.*git push --force-with-lease/);
  assert.doesNotMatch(message, /harmless/, "the model's own words are no ground to decide on");
  const { decision } = requestedSchema.properties;
  assert.deepEqual(requestedSchema.required, ["decision"]);
  assert.deepEqual(decision.enum.slice(0, 2), ["decline", "accept"]);
  assert.equal(decision.default, undefined);
});

test("a command with line ends can't write lines of the question", async (t) => {
  const host = await connect(t, { ask: accept("decline") });
  await host.exec("git push --force origin main\ncat <<E\n\nin /tmp (sandbox read-only, network denied)\nE\n");
  const lines = host.asked[0].message.split("\n");
  assert.ok(lines.includes("    in /tmp (sandbox read-only, network denied)"), host.asked[0].message);
  assert.equal(lines.filter((l) => l.startsWith("in /")).length, 0);
});

for (const [name, ask] of Object.entries({
  "declines": accept("decline"),
  "presses the other button": () => ({ action: "decline" }),
  "closes the question": () => ({ action: "cancel" }),
  "closes it with a form filled in": () => ({ action: "cancel", content: { decision: "accept" } }),
  "declines with a form filled in": () => ({ action: "decline", content: { decision: "accept" } }),
  "submits an empty form": () => ({ action: "accept", content: {} }),
  "submits no form": () => ({ action: "accept" }),
  "answers something else": accept("yes"),
  "answers in other letters": accept("Accept"),
  "answers with another type": accept(true),
  "answers with a list": accept(["accept"]),
  "fails": () => { throw new Error("no"); },
})) {
  test(`nothing runs when the host ${name}`, async (t) => {
    const host = await connect(t, { ask });
    const result = await host.exec(risky);
    assert.equal(host.asked.length, 1);
    assert.equal(result.isError, true);
    assert.equal(result.structuredContent.error.kind, "approvalDeclined");
    assert.equal(ran(host), false);
  });
}

test("what was accepted for the session is not asked about again, and nothing else is", async (t) => {
  const host = await connect(t, { ask: accept("acceptForSession") });
  const pushes = "git push --force origin main";
  await host.exec(pushes);
  const again = await host.exec(pushes);
  assert.equal(again.structuredContent.approval, "acceptForSession");
  assert.equal(host.asked.length, 1);
  assert.deepEqual(host.asked[0].requestedSchema.properties.decision.enum, ["decline", "accept", "acceptForSession"]);
  await host.exec(pushes + " --tags");
  assert.equal(host.asked.length, 2);
});

test("a decision that was not offered lets nothing run", async (t) => {
  const host = await connect(t, { ask: accept("acceptForSession") });
  const result = await host.exec({ command: risky, env: { X: "1" } }); // no rule of the session could show it
  assert.deepEqual(host.asked[0].requestedSchema.properties.decision.enum, ["decline", "accept"]);
  assert.equal(result.isError, true);
  assert.equal(ran(host), false);
});

test("where the host can ask nobody, nothing runs and the model is told so", async (t) => {
  const host = await connect(t);
  const result = await host.exec(risky);
  assert.equal(result.structuredContent.error.kind, "approvalRequired");
  assert.match(text(result), /this host can't ask one/);
  assert.equal(ran(host), false);
});

for (const member of ["approval", "decision", "approved", "sandBox", "Command", "partialResultToken", "execId"]) {
  test(`an argument ${member} is refused, so that nothing can be slipped in`, async (t) => {
    const host = await connect(t, { ask: accept("accept") });
    const result = await host.call("exec", { command: risky, [member]: { state: "r-1", decision: "accept" } });
    assert.equal(result.structuredContent.error.kind, "invalidParams");
    assert.match(text(result), new RegExp(member));
    assert.equal(ran(host), false);
  });
}

test("a question is withdrawn when the command is cancelled", async (t) => {
  let withdrawn;
  const over = new Promise((resolve) => { withdrawn = resolve; });
  const source = new AbortController();
  const host = await connect(t, {
    ask: (_, extra) => new Promise((resolve) => {
      extra.signal.addEventListener("abort", () => { withdrawn(); resolve({ action: "accept", content: { decision: "accept" } }); });
      source.abort("never mind");
    }),
  });
  await assert.rejects(host.exec(risky, { signal: source.signal }), /never mind/);
  await over;
  await host.exec("true");
  assert.equal(ran(host), false);
});

test("a person is asked about a host of the network, while the command runs", async (t) => {
  const host = await connect(t, { ask: accept("decline"), policy: '[sandbox]\nnetwork = "proxy"\n[network]\nallow = ["example.invalid"]\n' });
  const result = await host.exec("curl -fsS --max-time 20 http://other.invalid/");
  assert.notEqual(result.structuredContent.exitCode, 0);
  assert.equal(host.asked.length, 1);
  assert.match(host.asked[0].message, /^Let everything in this sandbox connect to other\.invalid:80\?/);
});

test("a policy file of the workspace tightens, and one with a mistake stops everything", async (t) => {
  const host = await connect(t, { prepare: (w) => writeFile(path.join(w.folder, ".pillion.toml"), '[sandbox]\nmode = "read-only"\n') });
  const result = await host.exec("touch ran");
  assert.notEqual(result.structuredContent.exitCode, 0);
  assert.match(result.structuredContent.sandbox, /^read-only, /);
  const wider = await host.exec({ command: "touch ran", mode: "workspace-write" });
  assert.equal(wider.isError, true);

  const bad = await connect(t, { prepare: (w) => writeFile(path.join(w.folder, ".pillion.toml"), "allowOff = true\n") });
  assert.equal((await bad.exec("true")).structuredContent.error.kind, "policyInvalid");
});

test("a model can't loosen the sandbox without the user's grant", async (t) => {
  const host = await connect(t);
  for (const args of [{ command: "touch ran", network: "allow" }, { command: "touch ran", mode: "off" }]) {
    const result = await host.call("exec", args);
    assert.equal(result.isError, true, JSON.stringify(result));
    assert.equal(ran(host), false);
  }
});

test("the workspace is the host's roots, and follows them", async (t) => {
  const host = await connect(t);
  assert.equal((await host.exec("pwd")).structuredContent.output, host.folder + "\n");
  const other = path.join(host.root, "other");
  await mkdir(other);
  host.roots = [other];
  await host.client.sendRootsListChanged();
  assert.equal((await host.exec("pwd; touch mark")).structuredContent.output, other + "\n");
  const old = await host.exec({ command: "pwd", cwd: host.folder });
  assert.equal(old.structuredContent.error.kind, "pathOutsideWorkspace");
  host.roots = [];
  await host.client.sendRootsListChanged();
  assert.equal((await host.exec("pwd")).isError, true, "no roots are no workspace");
});

test("a host without roots gives its current directory, and --root another one", async (t) => {
  const host = await connect(t, { roots: null });
  assert.equal((await host.exec("pwd")).structuredContent.output, host.folder + "\n");
  const fixed = await connect(t, { prepare: (w) => mkdir(path.join(w.root, "fixed")), args: (w) => ["--root", path.join(w.root, "fixed")] });
  assert.match((await fixed.exec("pwd")).structuredContent.output, /\/fixed\n$/);
  fixed.roots = [fixed.folder];
  await fixed.client.sendRootsListChanged();
  assert.match((await fixed.exec("pwd")).structuredContent.output, /\/fixed\n$/, "the command line has the last word");
});

test("a root that can't be a workspace is refused with the reason", async (t) => {
  const host = await connect(t, { roots: ["/"] });
  const result = await host.exec("pwd");
  assert.equal(result.structuredContent.error.kind, "pathOutsideWorkspace");
});
