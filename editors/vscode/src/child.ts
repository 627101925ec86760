// The process of a sidecar, or of a language server: how it begins and how it ends.

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";

import { StartError } from "./start-error.js";

export type Child = ChildProcessWithoutNullStreams;

/** The exit code of a program that was called in a way it doesn't know. */
export const usage = 2;

/** How long it may take to answer initialize; it takes some milliseconds. */
const answerWithinMs = 30_000;

export async function startChild(path: string, args: string[], env: NodeJS.ProcessEnv): Promise<Child> {
  const child = spawn(path, args, { env, stdio: "pipe", windowsHide: true });
  await new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error) => reject(new StartError(`pillion could not be started: ${error.message}`, false)));
  });
  return child;
}

/** Changes from one environment to another; null removes a variable. */
export function changed(before: NodeJS.ProcessEnv, after: NodeJS.ProcessEnv): Record<string, string | null> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Object.fromEntries([...names].filter((name) => before[name] !== after[name]).map((name) => [name, after[name] ?? null]));
}

/** Kills a process that does not answer in time. */
export async function inTime<T>(child: Child, answer: Promise<T>): Promise<T> {
  const timer = setTimeout(() => child.kill("SIGKILL"), answerWithinMs);
  return answer.finally(() => clearTimeout(timer));
}

/** Resolves when the process has ended and what it wrote has been read. */
export function ended(child: Child): Promise<string> {
  return new Promise((resolve) => {
    const how = () => (child.signalCode ? `was killed by ${child.signalCode}` : `exited with code ${child.exitCode}`);
    // The library hands messages on one a turn: those that were read come first.
    child.once("close", () => setTimeout(() => resolve(how()), 20));
    // A process that has inherited its output must not keep anybody waiting.
    child.once("exit", () => setTimeout(() => {
      for (const stream of child.stdio) stream?.destroy();
      resolve(how());
    }, 1000).unref());
    // One that can't be written to is useless, and must not be waited for either.
    child.stdin.once("close", () => setTimeout(() => child.kill("SIGKILL"), 5000).unref());
  });
}
