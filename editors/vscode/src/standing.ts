// What the sandbox of the commands to come really holds, as the sidecar judges it.

import type { Client } from "./client.js";
import { confinement, weaknesses } from "./ending.js";

export interface Standing {
  kind: "enforced" | "bestEffort" | "off" | "unavailable";
  text: string;
}

export async function judged(client: Client): Promise<Standing> {
  const { verdicts: [verdict] } = await client.check([{ command: "true" }]);
  const { version } = client.info.serverInfo;
  if (verdict?.wouldFail) return { kind: "unavailable", text: `commands are refused: ${verdict.wouldFail.message}` };
  const sandbox = verdict?.effectiveSandbox;
  if (!sandbox) return { kind: "unavailable", text: "commands are refused by the policy" };
  const weak = weaknesses(sandbox);
  const limits = sandbox.residual.map((limit) => `limit: ${limit}`);
  const text = [`pillion ${version}: ${confinement(sandbox)}`, sandbox.backend.join(", "), ...limits].join("\n\n");
  if (sandbox.mode === "off") return { kind: "off", text };
  return { kind: weak.length > 0 ? "bestEffort" : "enforced", text };
}
