// The settings: those of the extension itself, and those that are pillion's own,
// from what `pillion schema` says about them. settings-write.mjs puts them into
// package.json, and a test compares the two.

/** Never from a workspace: a repository could choose the binary, the policy or the sandbox. */
export const scope = "machine";

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
      "pillion.timeout": { ...optional(timeoutMs), minimum: 1, maximum: 86_400_000 },
      "pillion.limits": object(counts(limits), defs.LimitOptions.description),
      "pillion.policy": object(policy, "Rules, grants and places, as in pillion's policy.toml. Names that begin with \"allow\" give something up."),
    },
  };
}

const object = (properties, description) => ({ type: "object", default: {}, scope, description, additionalProperties: false, properties });

/** None is below zero; how large one may be is pillion's to say. */
const counts = (properties) => Object.fromEntries(Object.entries(properties).map(([name, { maximum, ...property }]) => [name, { ...property, minimum: 0 }]));

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
