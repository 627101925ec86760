// What the sandbox of the commands to come really holds, as the sidecar judges it.

import type { CheckVerdict } from "../../protocol/protocol.js";
import type { Client } from "./client.js";

export interface Standing {
  kind: "enforced" | "bestEffort" | "off" | "unavailable";
  text: string;
  /** the network is open: what is enforced is not all that a person may think of */
  open?: boolean;
}

export async function judged(client: Client): Promise<Standing> {
  const { verdicts: [verdict] } = await client.check([{ command: "true" }]);
  const { version } = client.info.serverInfo;
  if (verdict?.wouldFail) return { kind: "unavailable", text: `commands are refused: ${verdict.wouldFail.message}` };
  const sandbox = verdict?.effectiveSandbox;
  if (!sandbox) return { kind: "unavailable", text: "commands are refused by the policy" };
  const limits = sandbox.residual.map((limit) => `limit: ${limit}`);
  const text = [`pillion ${version}: ${sandbox.text}`, sandbox.backend.join(", "), ...limits].join("\n\n");
  if (sandbox.mode === "off") return { kind: "off", text };
  return { kind: sandbox.weak ? "bestEffort" : "enforced", text, open: sandbox.networkMode === "allow" };
}

/**
 * Whether an agent's command needs a person's word before it is tried. Not if it is denied, or if the guard asks by
 * itself; nor if it is allowed, and confined as promised without a network.
 */
export function needsConfirmation(verdict: CheckVerdict | undefined): boolean {
  if (verdict === undefined) return true;
  if (verdict.decision !== "allow" || verdict.wouldFail !== undefined) return false;
  const sandbox = verdict.effectiveSandbox;
  return sandbox === undefined || sandbox.mode === "off" || sandbox.networkMode === "allow" || sandbox.weak !== undefined;
}
