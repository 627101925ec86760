// What runs on this machine, from /proc.

const { readdirSync, readFileSync } = require("node:fs");

/** All processes; one that ends meanwhile is left out. */
function processes() {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    try {
      const [, ppid] = /^\S+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"));
      const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
      return [{ pid: Number(pid), ppid: Number(ppid), args }];
    } catch {
      return [];
    }
  });
}

/** Those with exactly these arguments: not the shell that has them in its text. */
const withArgs = (...args) => processes().filter((p) => p.args.join("\0") === args.join("\0"));

/** Those that were given this environment variable; a zombie has none. */
function withEnv(name, value) {
  return processes().filter(({ pid }) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`${name}=${value}`);
    } catch {
      return false;
    }
  });
}

module.exports = { processes, withArgs, withEnv };
