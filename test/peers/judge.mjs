// cc-safety-net as a library: answers each line of commands in JSON with allow or deny.
//
//   node judge.mjs INSTALLED DIRECTORY < COMMANDS
import { createInterface } from "node:readline";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [installed, cwd] = process.argv.slice(2);
const { checkCommand } = await import(pathToFileURL(path.join(installed, "node_modules/cc-safety-net/dist/api.js")).href);
for await (const line of createInterface({ input: process.stdin })) {
  console.log(checkCommand({ command: JSON.parse(line).command, cwd }).kind);
}
