import { readFile } from "node:fs/promises";
import { z } from "zod";
import { CommandError, exitCodes } from "../exitCodes.ts";
import type { Service } from "../service.ts";
import type { Terminal } from "../terminal.ts";
import { checkpointOfFile, compareCheckpoints, describeSuccession, keyOf } from "./checkpoints.ts";

export type ConsistencyOptions = {
  readonly older: string;
  readonly newer: string;
  /** The verifier key, or a file with it. */
  readonly key: string;
  /** A file with the proof; null: ask the service. */
  readonly proof: string | null;
};

const proofFile = z.object({
  consistency: z.object({ from: z.int(), to: z.int(), hashes: z.array(z.string()) }),
});

/**
 * Verifies that a checkpoint extends an older one. Returns the exit code: 0 it does, 1 it does not. Rejects with
 * CommandError: 2 for unreadable files, 3 if the proof is asked from a service that does not answer.
 */
export const verifyConsistency = async (
  { older: olderFile, newer: newerFile, key: keyText, proof }: ConsistencyOptions,
  connect: () => Promise<Pick<Service, "ask">>,
  terminal: Terminal,
): Promise<number> => {
  const key = await keyOf(keyText);
  const older = await checkpointOfFile(olderFile, key);
  const newer = await checkpointOfFile(newerFile, key);
  const isShorter = older.size >= newer.size;
  const sizes = { from: older.size, to: newer.size };
  const hashes = isShorter
    ? []
    : proof === null
      ? await askProof(await connect(), sizes)
      : await readProof(proof, sizes);
  const succession = compareCheckpoints(older, newer, hashes);
  const isConsistent = succession.outcome === "consistent";
  const { red, green } = terminal.paint;
  terminal.say(isConsistent ? green("consistent") : red("not consistent"));
  terminal.say(`  ${describeSuccession(succession, older, newer)}`);
  terminal.record({ ...succession, older: older.size, newer: newer.size });
  return isConsistent ? exitCodes.passed : exitCodes.failed;
};

type Sizes = { readonly from: number; readonly to: number };

const askProof = async (
  service: Pick<Service, "ask">,
  sizes: Sizes,
): Promise<readonly string[]> => {
  const { consistency } = await service.ask((client, signal) =>
    client.GET("/api/v1/audit/log/checkpoint", { params: { query: sizes }, signal }),
  );
  return consistency?.hashes ?? [];
};

const readProof = async (file: string, { from, to }: Sizes): Promise<readonly string[]> => {
  const text = await readFile(file, "utf8").catch(() => "");
  const parsed = proofFile.safeParse(parseJson(text));
  const proof = parsed.data?.consistency;
  if (proof?.from === from && proof.to === to) return proof.hashes;
  throw new CommandError(
    `${file} is not the proof from ${from} to ${to} events. Fetch GET /api/v1/audit/log/checkpoint?from=${from}&to=${to}.`,
    exitCodes.usage,
  );
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
