// sandbox-runtime as its users have it: a library in a process that stays. Reads one
// command a line, runs it, and says on the third descriptor how it ended.
//
//   node srt.mjs INSTALLED SETTINGS
import { spawn } from "node:child_process";
import { readFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [installed, settings] = process.argv.slice(2);
const index = path.join(installed, "node_modules/@anthropic-ai/sandbox-runtime/dist/index.js");
const { SandboxManager } = await import(pathToFileURL(index).href);
await SandboxManager.initialize(JSON.parse(readFileSync(settings, "utf8")));
writeSync(3, "ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const child = spawn("/bin/sh", ["-c", await SandboxManager.wrapWithSandbox(line)], { stdio: ["ignore", "inherit", "inherit"] });
  const code = await new Promise((resolve) => child.on("close", resolve));
  writeSync(3, `${code}\n`);
}
await SandboxManager.reset();
process.exit(0);
