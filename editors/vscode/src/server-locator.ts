// Which pillion is started: the one of the settings, else the one that came with
// the extension, else the one on PATH. It has to say a version that fits.

import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

export const setting = "pillion.server.path";

/** The versions that this extension knows; initialize says if a newer one has another protocol.
 * A build without a version is a developer's own. */
export const required = { atLeast: "0.1.0", text: "version 0.1 or newer" };

export interface Places {
  /** the setting, "" if there is none */
  configured: string;
  /** files that may be there, the best one first */
  bundled: string[];
  /** the PATH */
  path: string;
  home: string;
  windows?: boolean;
}

export interface Located {
  path: string;
  version: string;
  from: "setting" | "bundled" | "PATH";
}

/** Its message is one sentence that names the setting. */
export class LocateError extends Error {}

export async function locate(places: Places): Promise<Located> {
  const candidate = find(places);
  const said = await ask(candidate);
  const version = /^pillion (\S+)/.exec(said)?.[1];
  const name = candidate.from === "setting" ? `${setting} names ${candidate.path}, which` : `${candidate.path}`;
  const mend = candidate.from === "setting" ? "correct the setting or clear it" : `set ${setting} to another one`;
  if (version === undefined) {
    throw new LocateError(`${name} does not say its version as pillion does (${shorten(said)}), but ${required.text} is required: ${mend}.`);
  }
  if (!fits(version)) {
    throw new LocateError(`${name} is pillion ${version}, but ${required.text} is required: ${mend}.`);
  }
  return { ...candidate, version };
}

type Candidate = Omit<Located, "version">;

function find({ configured, bundled, path, home, windows }: Places): Candidate {
  if (configured !== "") {
    const file = configured.replace(/^~(?=[/\\]|$)/, home);
    if (!isAbsolute(file)) throw new LocateError(`${setting} is ${configured}, but must be an absolute path: correct the setting or clear it.`);
    if (!executable(file)) throw new LocateError(`${setting} names ${file}, which is no program that can be run: correct the setting or clear it.`);
    return { path: file, from: "setting" };
  }
  const own = bundled.find(executable);
  if (own !== undefined) return { path: own, from: "bundled" };
  const name = windows ? "pillion.exe" : "pillion";
  // A relative element of PATH would be a place in whatever folder is open.
  const onPath = path.split(delimiter).filter(isAbsolute).map((dir) => join(dir, name)).find(executable);
  if (onPath !== undefined) return { path: onPath, from: "PATH" };
  throw new LocateError(`No pillion came with this build of the extension and none is on PATH: install one, or set ${setting} to where it is.`);
}

function executable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The program's version, or why it has none. */
function ask({ path }: Candidate): Promise<string> {
  return new Promise((resolve) => {
    execFile(path, ["version"], { timeout: 10_000, windowsHide: true }, (error, stdout) => {
      resolve(stdout.trim() || (error ? error.message : "it said nothing"));
    });
  });
}

const shorten = (text: string) => JSON.stringify(text.length > 60 ? text.slice(0, 57) + "…" : text);

function fits(version: string): boolean {
  // "devel", and what go install makes of a commit: those can't be compared.
  if (version === "devel" || /^v?0\.0\.0-\d{14}-[0-9a-f]{12}/.test(version)) return true;
  const numbers = parse(version);
  return numbers !== undefined && compare(numbers, parse(required.atLeast)!) >= 0;
}

function parse(version: string): number[] | undefined {
  const match = /^v?(\d+)\.(\d+)(?:\.(\d+))?(?:[-+].*)?$/.exec(version);
  return match?.slice(1, 4).map((n) => Number(n ?? 0));
}

function compare(a: number[], b: number[]): number {
  for (let i = 0; i < 3; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return 0;
}
