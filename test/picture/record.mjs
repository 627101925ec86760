// Runs the commands of the README's moving picture and draws what they print. It is
// started by run, in namespaces of its own.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createSocket } from "node:dgram";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { draw } from "./draw.mjs";

const work = process.argv[2];
const home = "/home/you";
const app = `${home}/app`;

// What is shown: a scene is a screen, and a step a command on it with the time that it
// stays. Lines that match leaveOut become "…".
const scenes = [
  [{ id: "denied", command: "pillion exec -- 'npm run clean; rm -rf ~'", hold: 2.2 }],
  [
    { id: "refused", command: "pillion exec -- npm ci", hold: 1.4, leaveOut: /^npm (error|ERR!) (?!code)|resolve \(network\)/ },
    { id: "allowed", command: "pillion exec --host npm.example -- npm ci", hold: 1.5 },
  ],
  [{ id: "tested", command: "pillion exec -- npm test", hold: 1.9, leaveOut: /^ℹ (suites|cancelled|skipped|todo|duration)/ }],
];

function write(name, text) {
  mkdirSync(`${app}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
  writeFileSync(`${app}/${name}`, text);
}

// registry is one package, which the project depends on.
async function registry() {
  const dir = `${work}/greet`;
  mkdirSync(dir);
  writeFileSync(`${dir}/package.json`, JSON.stringify({ name: "greet", version: "1.0.0", main: "index.js" }));
  writeFileSync(`${dir}/index.js`, "module.exports = (name) => `hello ${name}`;\n");
  execFileSync("npm", ["pack", "--silent", "--pack-destination", work], { cwd: dir, env: { ...process.env, HOME: work } });
  const tarball = readFileSync(`${work}/greet-1.0.0.tgz`);
  const server = createServer((request, response) => {
    const found = request.url.endsWith(".tgz");
    response.writeHead(found ? 200 : 404).end(found ? tarball : "{}");
  });
  await new Promise((listens) => server.listen(80, listens));
  return { server, integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}` };
}

// names answers every question for an IPv4 address with the registry's.
async function names() {
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const end = query.indexOf(0, 12) + 5; // of the question: the name, its type and class
    const known = query.readUInt16BE(end - 4) === 1;
    const head = Buffer.from([query[0], query[1], 0x81, 0x80, 0, 1, 0, known ? 1 : 0, 0, 0, 0, 0]);
    const address = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 100, 0, 0, 1]);
    socket.send(Buffer.concat([head, query.subarray(12, end), known ? address : Buffer.alloc(0)]), from.port, from.address);
  });
  await new Promise((listens) => socket.bind(53, "127.0.0.1", listens));
  return socket;
}

function project(integrity) {
  const about = { name: "app", version: "1.0.0", dependencies: { greet: "1.0.0" } };
  write("package.json", JSON.stringify({ ...about, scripts: { clean: "rm -rf dist", test: "node --test --test-reporter=spec" } }, null, 2));
  write("package-lock.json", JSON.stringify({
    ...about, lockfileVersion: 3, requires: true,
    packages: {
      "": about,
      "node_modules/greet": { version: "1.0.0", resolved: "http://npm.example/greet/-/greet-1.0.0.tgz", integrity },
    },
  }));
  // One try, because npm waits for a minute between two.
  write(".npmrc", "registry=http://npm.example/\nfetch-retries=0\nupdate-notifier=false\naudit=false\nfund=false\n");
  write("test/greet.test.js", `const { test } = require("node:test");
const assert = require("node:assert");
const greet = require("greet");

test("greets by name", () => assert.equal(greet("you"), "hello you"));
test("greets nobody", () => assert.equal(greet(""), "hello "));
`);
}

// run is what a command prints, both streams in their order, with colours.
function run(command) {
  const path = [`${work}/bin`, process.execPath.replace(/\/[^/]*$/, ""), "/usr/local/bin:/usr/bin:/bin"].join(":");
  const env = { HOME: home, PATH: path, LANG: "C.UTF-8", TERM: "xterm-256color", CLICOLOR_FORCE: "1", USER: "you" };
  return new Promise((resolve) => {
    const child = spawn("bash", ["-c", `exec 2>&1; ${command}`], { cwd: app, env });
    let text = "";
    child.stdout.on("data", (piece) => (text += piece));
    child.on("close", () => resolve(text));
  });
}

// shorten leaves lines out and says so with "…".
function shorten(lines, leaveOut) {
  const out = [];
  for (const line of lines) {
    if (!leaveOut?.test(line.replace(/\x1b\[[0-9;]*m/g, ""))) out.push(line);
    else if (out.at(-1) !== "…") out.push("…");
  }
  return out;
}

const { server, integrity } = await registry();
const socket = await names();
project(integrity);
for (const step of scenes.flat()) {
  step.lines = shorten((await run(step.command)).replace(/\n+$/, "").split("\n").filter((l) => l !== ""), step.leaveOut);
  console.log(`$ ${step.command}\n${step.lines.join("\n")}\n`);
}
server.close();
socket.close();
writeFileSync(`${work}/demo.svg`, draw(scenes));
