const assert = require("node:assert");
const http = require("node:http");
const { execFileSync } = require("node:child_process");
const test = require("node:test");
const { add } = require("dep");

test("add", () => assert.strictEqual(add(1, 2), 3));

test("child", () => assert.strictEqual(execFileSync("echo", ["x"]).toString(), "x\n"));

test("server", (t, done) => {
  const server = http.createServer((q, r) => r.end("ok")).listen(0, "127.0.0.1", () => {
    http.get({ port: server.address().port, host: "127.0.0.1" }, (r) => {
      assert.strictEqual(r.statusCode, 200);
      r.resume();
      server.close(() => done());
      server.closeAllConnections();
    });
  });
});
