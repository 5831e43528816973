import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { hashSync, verifySync } from "@node-rs/argon2";
import type { PasswordAnswer, PasswordWork } from "./passwordWork.ts";

/** As `nice` counts: a third of what others get of a core, so that nobody is kept waiting for long on a busy machine. */
const NICE = 5;

/**
 * The thread that hashes passwords, one after the other. It steps back for everything else that wants the core:
 * fifty people who sign in at once cost others nothing but what is left over.
 */
const stepBack = (): void => {
  try {
    // On Linux a priority is a thread's own (setpriority(2), "C library/kernel differences"); its link ends in its number.
    const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    setPriority(thread, NICE);
  } catch {
    // Elsewhere it works at everybody's priority.
  }
};

const answerTo = (work: PasswordWork): PasswordAnswer => {
  try {
    return work.kind === "hash"
      ? { kind: "hashed", hash: hashSync(work.password, work.cost) }
      : { kind: "verified", fits: verifySync(work.hash, work.password) };
  } catch (error) {
    return { kind: "failed", message: error instanceof Error ? error.message : String(error) };
  }
};

stepBack();
parentPort?.on("message", (work: PasswordWork) => parentPort?.postMessage(answerTo(work)));
