import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { hashSync, verifySync } from "@node-rs/argon2";
import type { PasswordAnswer, PasswordWork } from "./passwordWork.ts";

/** The `nice` value: about a third of a core under contention, so that password hashing delays no other work. */
const NICE = 5;

/**
 * The thread that hashes passwords, one at a time and at low priority: fifty concurrent sign-ins use only idle CPU
 * time.
 */
const stepBack = (): void => {
  try {
    // On Linux a priority is a thread's own (setpriority(2), "C library/kernel differences"); its link ends in its number.
    const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    setPriority(thread, NICE);
  } catch {
    // Other systems have no priority per thread.
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
