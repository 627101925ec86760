import assert from "node:assert/strict";
import { test } from "node:test";

import { RestartPolicy } from "../../src/restart.js";

function policy(random = 0.5) {
  const clock = { at: 0, now: () => clock.at, random: () => random };
  return { clock, policy: new RestartPolicy(clock) };
}

test("restart: each try waits longer, and the sixth crash in three minutes is the last", () => {
  const { clock, policy: p } = policy();
  const delays = Array.from({ length: 6 }, () => { clock.at += 1000; return p.crashed(); });
  assert.deepEqual(delays, [500, 1000, 2000, 4000, 8000, undefined]);
});

test("restart: the delay is spread by a fifth to both sides", () => {
  assert.equal(policy(0).policy.crashed(), 400);
  assert.equal(policy(1).policy.crashed(), 600);
});

test("restart: a minute of health forgets the crashes before", () => {
  const { clock, policy: p } = policy();
  for (let i = 0; i < 4; i++) p.crashed();
  p.ready();
  clock.at += 59_999;
  assert.equal(p.crashed(), 8000);
  p.ready();
  clock.at += 60_000;
  assert.equal(p.crashed(), 500);
});

test("restart: crashes of more than three minutes ago don't count", () => {
  const { clock, policy: p } = policy();
  for (let i = 0; i < 5; i++) p.crashed();
  assert.equal(p.crashed(), undefined);
  clock.at += 180_000;
  assert.equal(p.crashed(), 500);
});

test("restart: a person's restart begins anew", () => {
  const { policy: p } = policy();
  for (let i = 0; i < 5; i++) p.crashed();
  p.reset();
  assert.equal(p.crashed(), 500);
});
