// Bundles the extension into out/extension.js, or tests into a directory:
//
//   node esbuild.mjs                  # the extension
//   node esbuild.mjs OUTDIR FILE…     # each file, for node

import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const common = { bundle: true, platform: "node", format: "cjs", target: "node20", legalComments: "none", logLevel: "warning" };
const [outdir, ...tests] = process.argv.slice(2);

if (outdir) {
  await build({ ...common, entryPoints: tests, outdir, outExtension: { ".js": ".cjs" }, sourcemap: "inline" });
} else {
  await build({ ...common, entryPoints: [here("src/extension.ts")], outfile: here("out/extension.js"), external: ["vscode"], minify: true });
}
