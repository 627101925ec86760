// Makes the settings in package.json: those of the extension itself, and those that
// are pillion's own, from what `pillion schema` says about them. Without an argument
// it writes package.json; a test compares the two.
//
//   node settings.mjs [PILLION]

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Never from a workspace: a repository could choose the binary, the policy or the sandbox. */
const scope = "machine";

const own = {
  "pillion.server.path": {
    type: "string", default: "", scope,
    markdownDescription: "The pillion to start: an absolute path, `~/` for your home. Empty: the one that came with the extension, else the one on PATH.",
  },
  "pillion.server.args": {
    type: "array", items: { type: "string" }, default: [], scope,
    description: "Further arguments of pillion serve.",
  },
  "pillion.server.env": {
    type: "object", additionalProperties: { type: ["string", "null"] }, default: {}, scope,
    description: "Environment variables of pillion itself (commands get few of them); null removes one.",
  },
  "pillion.trace.server": {
    type: "string", enum: ["off", "messages", "verbose"], default: "off", scope: "window",
    enumDescriptions: ["nothing", "each request, answer and notification", "these with their members; never input, output or values of variables"],
    description: "What of the conversation with pillion stands in its output channel.",
  },
};

export const profiles = {
  balanced: "pillion's own rules, sandbox and limits: the one to use",
  denylist: "8 families of dangerous text; the network is open",
  isolated: "no rules, a machine of its own",
  readonly: "no rules, nothing can be written",
  layered: "4 layers of rules; the network is open",
  inspect: "a list of programs that only look",
};

/** The whole configuration for a schema as `pillion schema` prints it. */
export function settings(schema) {
  const defs = schema.$defs;
  const sandbox = Object.entries(inlined(defs.SandboxOptions, defs).properties)
    .map(([name, property]) => [`pillion.sandbox.${name}`, optional(property)]);
  const { timeoutMs, ...limits } = inlined(defs.LimitOptions, defs).properties;
  // These have settings of their own; "loosen" is for settings that come later, of which there are none.
  const { profile, sandbox: _, limits: __, loosen, ...policy } = inlined(defs.PolicyOptions, defs).properties;
  return {
    title: "pillion",
    properties: {
      ...own,
      "pillion.profile": optional({ enum: Object.keys(profiles), enumDescriptions: Object.values(profiles), type: "string",
        description: "The rules, with the sandbox, the time and the limits that belong to them." }),
      ...Object.fromEntries(sandbox),
      "pillion.timeout": optional(timeoutMs),
      "pillion.limits": object(limits, defs.LimitOptions.description),
      "pillion.policy": object(policy, "Rules, grants and places, as in pillion's policy.toml. Names that begin with \"allow\" give something up."),
    },
  };
}

const object = (properties, description) => ({ type: "object", default: {}, scope, description, additionalProperties: false, properties });

/** A setting that is pillion's own default unless it is set. */
function optional(property) {
  const out = { ...property, type: [property.type, "null"], default: null, scope };
  if (property.enum) {
    out.enum = [...property.enum, null];
    if (property.enumDescriptions) out.enumDescriptions = [...property.enumDescriptions, "pillion's default"];
  }
  return out;
}

/** VS Code follows no references into another document. */
function inlined(node, defs) {
  if (Array.isArray(node)) return node.map((item) => inlined(item, defs));
  if (node === null || typeof node !== "object") return node;
  const { $ref, ...rest } = node;
  const whole = $ref ? { ...defs[$ref.slice("#/$defs/".length)], ...rest } : rest;
  return Object.fromEntries(Object.entries(whole).map(([key, value]) => [key, inlined(value, defs)]));
}

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

if (process.argv[1] === here("settings.mjs")) {
  const pillion = process.argv[2] ?? here("../../dist/pillion");
  const manifest = JSON.parse(readFileSync(here("package.json"), "utf8"));
  manifest.contributes.configuration = settings(JSON.parse(execFileSync(pillion, ["schema"], { encoding: "utf8" })));
  const { properties } = manifest.contributes.configuration;
  manifest.capabilities.untrustedWorkspaces.restrictedConfigurations = Object.keys(properties).filter((key) => properties[key].scope === scope);
  writeFileSync(here("package.json"), JSON.stringify(manifest, null, 2) + "\n");
}
