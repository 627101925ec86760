// Compiled, never run: what a client written in TypeScript gets from the
// generated types, and what they keep it from.
import { ErrorCode, protocolVersion, type ExecResult, type Notifications, type Requests, type ServerNotifications } from "../../editors/protocol/protocol";

declare function request<M extends keyof Requests>(method: M, params: Requests[M]["params"]): Promise<Requests[M]["result"]>;
declare function notify<M extends keyof Notifications>(method: M, params: Notifications[M]["params"]): void;
declare function on<M extends keyof ServerNotifications>(method: M, handler: (params: ServerNotifications[M]["params"]) => void): void;

export async function session(): Promise<number | null> {
  const { serverInfo, capabilities } = await request("initialize", {
    processId: null,
    capabilities: { exec: { events: ["violation"] } },
    initializationOptions: { protocolVersion, sandbox: { mode: "read-only" } },
  });
  notify("initialized", undefined);
  on("$/progress", ({ value }) => {
    if ("type" in value && value.type === "output") console(value.stream, value.offset, value.text ?? value.data);
    if ("kind" in value) console(value.kind, value.title);
  });
  const result: ExecResult = await request("exec", {
    command: "ls", env: { HOME: null, LANG: "C" }, timeoutMs: null, partialResultToken: 7,
  });
  const done: null = await request("shutdown", undefined);
  console(serverInfo.schemaHash, capabilities.sandbox.modes["read-only"]?.available, result.output["stdout"]?.eof, done);
  return result.exitCode;
}

export const busy = (code: number): boolean => code === ErrorCode.ServerBusy;

// @ts-expect-error a mistyped member
void request("exec", { comand: "ls" });
// @ts-expect-error a member of another type
void request("exec", { command: "ls", timeoutMs: "soon" });
// @ts-expect-error null where only absence counts
void request("exec", { command: "ls", cwd: null });
// @ts-expect-error a mode that there isn't
void request("initialize", { processId: 1, capabilities: {}, initializationOptions: { sandbox: { mode: "none" } } });
// @ts-expect-error a required member
void request("exec/cancel", {});
// @ts-expect-error no such method
void request("exec/stop", { execId: "a" });
// @ts-expect-error a notification is no request
void request("initialized", undefined);

declare function console(...values: unknown[]): void;
