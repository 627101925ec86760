// Writes the settings into package.json:
//
//   node settings-write.mjs [PILLION]      # default: dist/pillion of the repository

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { scope, settings } from "./settings.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const schema = execFileSync(process.argv[2] ?? here("../../dist/pillion"), ["schema"], { encoding: "utf8", maxBuffer: 1 << 26 });
const manifest = JSON.parse(readFileSync(here("package.json"), "utf8"));
manifest.contributes.configuration = settings(JSON.parse(schema));
const { properties } = manifest.contributes.configuration;
manifest.capabilities.untrustedWorkspaces.restrictedConfigurations = Object.keys(properties).filter((key) => properties[key].scope === scope);
writeFileSync(here("package.json"), JSON.stringify(manifest, null, 2) + "\n");
