// The advice works as it is, and mistakes are named in the words of settings.json.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { summary } from "../../src/ending.js";
import { inSettings } from "../../src/start-error.js";
import { until, world, type World } from "./world.js";

let w: World;
beforeEach(() => { w = world(); });
afterEach(() => w.remove());

/** What a person writes into settings.json who follows `name value in pillion.policy, with pillion.sandbox.name value`. */
function taken(advice: string): Record<string, Record<string, unknown>> {
  const options: Record<string, Record<string, unknown>> = {};
  for (const [, path, text, within] of advice.matchAll(/([\w.]+) ("[^"]*"|true|\d+)(?: in pillion\.(\w+))?/g)) {
    const names = within ? [within, ...path!.split(".")] : path!.split(".").slice(1);
    const last = names.pop()!;
    let at: Record<string, unknown> = options;
    for (const name of names) at = (at[name] ??= {}) as Record<string, unknown>;
    const value = JSON.parse(text!) as unknown;
    at[last] = path === "network.allow" ? [value] : value;
  }
  return options;
}

const lookup = { command: "getent hosts nowhere.example || echo 'curl: (6) Could not resolve host: nowhere.example' >&2; exit 6" };

test("advice: a host that was not found is allowed by what is said", async () => {
  const client = await w.start({ sandbox: { network: "deny" } });
  const { ended } = client.exec({ ...lookup, cwd: w.folder }, () => {});
  const outcome = await ended;
  assert.ok(outcome.kind === "result");
  const advice = /to allow it: (.*)/.exec(summary(outcome.result).join("\n").replace(/\x1b\[[0-9;]*m/g, ""))![1]!;
  assert.equal(advice, 'network.allow "nowhere.example" in pillion.policy, with pillion.sandbox.network "proxy"');
  const again = await w.start(taken(advice));
  const [verdict] = (await again.check([{ command: "true", cwd: w.folder }])).verdicts;
  assert.equal(verdict!.effectiveSandbox!.networkMode, "proxy");
});

test("advice: the whole network is allowed by what is said", async () => {
  const again = await w.start(taken(inSettings('sandbox.network "allow", with policy.allowNetwork true')));
  const [verdict] = (await again.check([{ command: "true", cwd: w.folder }])).verdicts;
  assert.equal(verdict!.effectiveSandbox!.networkMode, "allow");
});

test("settings: a contradiction stops no command, and is said in their own words", async () => {
  const client = await w.start({ sandbox: { network: "allow" } });
  await until("the message", () => w.shown.length > 0);
  assert.equal(inSettings(w.shown[0]!), 'pillion: commands run without a setting: pillion.sandbox.network: expected allowNetwork in pillion.policy to be true with it, got "allow"');
  const outcome = await client.exec({ command: "true", cwd: w.folder }, () => {}).ended;
  assert.ok(outcome.kind === "result" && outcome.result.sandbox.networkMode !== "allow");
});

test("settings: what is wrong is said in their own words", () => {
  assert.equal(inSettings("/initializationOptions/policy/network/allow/0: no"), "network.allow.0 in pillion.policy: no");
  assert.equal(inSettings("/initializationOptions/limits/timeoutMs: no"), "pillion.timeout: no");
});

test("advice: a limit is named as in settings.json, and a file is left alone", () => {
  assert.equal(inSettings("to allow it: limits.maxOpenFiles 60"), "to allow it: maxOpenFiles 60 in pillion.limits");
  assert.equal(inSettings("that of the request, else limits.timeoutMs"), "that of the request, else pillion.timeout");
  assert.equal(inSettings("change it in /home/you/.config/pillion/policy.toml"), "change it in /home/you/.config/pillion/policy.toml");
});
