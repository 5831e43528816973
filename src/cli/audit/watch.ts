import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Checkpoint } from "../../domain/audit/tree/checkpoint.ts";
import type { NoteKey } from "../../domain/audit/tree/note.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import { type Service, ServiceError } from "../service.ts";
import type { Terminal } from "../terminal.ts";
import {
  checkpointOfFile,
  compareCheckpoints,
  describeSuccession,
  keyOf,
  signedCheckpoint,
} from "./checkpoints.ts";

export type WatchOptions = {
  readonly dir: string;
  /** The verifier key, or a file with it; null: the key in the folder, else the service's at the first time. */
  readonly key: string | null;
  readonly everyMs: number;
  readonly once: boolean;
};

const KEY_FILE = "key";
const CHECKPOINT_FILE = /^(\d+)\.checkpoint$/;

/**
 * Follows the log of a service and keeps its checkpoints, with the proof that each extends the one before. Returns the
 * exit code: 1 as soon as one does not. Rejects with CommandError.
 */
export const watchLog = async (
  { dir, key: keyText, everyMs, once }: WatchOptions,
  service: Pick<Service, "ask">,
  terminal: Terminal,
  stopped: AbortSignal,
): Promise<number> => {
  await mkdir(dir, { recursive: true });
  const key = await keyFor(dir, keyText, service);
  let last = await lastIn(dir, key);
  while (!stopped.aborted) {
    const next = await look(dir, key, last, service, terminal).catch((error: unknown) => {
      const isAway = error instanceof ServiceError && error.exitCode === exitCodes.unavailable;
      if (once || !isAway) throw error;
      terminal.say(error.message);
      return last;
    });
    if (next === "forked") return exitCodes.failed;
    last = next;
    if (once) break;
    await pause(everyMs, undefined, { signal: stopped }).catch(() => undefined);
  }
  return exitCodes.passed;
};

const keyFor = async (
  dir: string,
  text: string | null,
  service: Pick<Service, "ask">,
): Promise<NoteKey> => {
  if (text !== null) return keyOf(text);
  const file = path.join(dir, KEY_FILE);
  const isKept = await readFile(file, "utf8").then(
    () => true,
    () => false,
  );
  if (!isKept) await writeFile(file, `${(await newest(service)).key}\n`);
  return keyOf(file);
};

const newest = (service: Pick<Service, "ask">) =>
  service.ask((client, signal) => client.GET("/api/v1/audit/log/checkpoint", { signal }));

/** The largest checkpoint of the folder; null if there is none. */
const lastIn = async (dir: string, key: NoteKey): Promise<Checkpoint | null> => {
  const sizes = (await readdir(dir)).flatMap((name) => CHECKPOINT_FILE.exec(name)?.[1] ?? []);
  const largest = sizes
    .map(Number)
    .sort((a, b) => a - b)
    .at(-1);
  return largest === undefined
    ? null
    : checkpointOfFile(path.join(dir, `${largest}.checkpoint`), key);
};

/** Compares the newest checkpoint of the service with the last one, and keeps it if it extends that. */
const look = async (
  dir: string,
  key: NoteKey,
  last: Checkpoint | null,
  service: Pick<Service, "ask">,
  terminal: Terminal,
): Promise<Checkpoint | null | "forked"> => {
  const { note, hashes } = await ask(service, last);
  const found = signedCheckpoint(note, key);
  if (typeof found === "string") {
    throw new CommandError(`The checkpoint of the service ${found}`, exitCodes.failed);
  }
  if (last !== null) {
    const succession = compareCheckpoints(last, found, hashes);
    const text = describeSuccession(succession, last, found);
    if (succession.outcome === "forked" || succession.outcome === "other_log") {
      terminal.say(`${terminal.paint.red("not consistent")}  ${text}`);
      terminal.record({ ...succession, older: last.size, newer: found.size });
      // Evidence: the two notes contradict each other.
      await keep(dir, `${found.size}.contradiction`, note);
      return "forked";
    }
    if (succession.outcome === "restored") terminal.say(text);
    else if (found.size === last.size) return last;
    const consistency = { from: last.size, to: found.size, hashes };
    await keep(dir, `${found.size}.proof`, `${JSON.stringify({ consistency })}\n`);
  }
  await keep(dir, `${found.size}.checkpoint`, note);
  terminal.say(`${terminal.paint.green("consistent")}  ${found.size} events`);
  terminal.record({ outcome: "consistent", size: found.size });
  return found;
};

const ask = async (service: Pick<Service, "ask">, last: Checkpoint | null) => {
  if (last !== null) {
    try {
      const query = { from: last.size };
      const { checkpoint: note, consistency } = await service.ask((client, signal) =>
        client.GET("/api/v1/audit/log/checkpoint", { params: { query }, signal }),
      );
      return { note, hashes: consistency?.hashes ?? [] };
    } catch (error) {
      // The log is shorter than before: its checkpoint is compared without a proof.
      if (!(error instanceof ServiceError) || error.status !== 409) throw error;
    }
  }
  return { note: (await newest(service)).checkpoint, hashes: [] };
};

/** Writes a file as a whole. */
const keep = async (dir: string, name: string, text: string): Promise<void> => {
  const file = path.join(dir, name);
  await writeFile(`${file}.part`, text);
  await rename(`${file}.part`, file);
};
