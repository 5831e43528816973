import { MAX_FILE_BYTES } from "../../domain/catalogue/projects/files.ts";
import type { Step } from "../../domain/catalogue/step.ts";
import {
  CannotJudgeError,
  type HealingMemory,
  type ReadFile,
} from "../../workers/executor/index.ts";
import type { Unsent } from "./outbox.ts";
import type { Requests } from "./requests.ts";
import type { AttemptKey } from "./visuals.ts";

/** Time limit for requesting the fingerprint of an element. */
const ELEMENT_MS = 2_500;
/** Number of downloads of a file that is replaced during the download. */
const MAX_DOWNLOADS = 3;

/** The healing memory of the service. */
export const remoteHealing =
  (
    requests: Requests,
    on: AttemptKey,
    due: readonly string[],
    post: (message: Unsent) => unknown,
    signal: AbortSignal,
  ): HealingMemory =>
  ({ id }) => {
    let asked: ReturnType<typeof requests.ask<"element">> | null = null;
    const element = () => {
      asked ??= requests.ask("element", { ...on, step_id: id }, ELEMENT_MS, signal);
      return asked;
    };
    return {
      known: async () => (await element())?.known ?? null,
      isDue: async () => due.includes(id),
      keep: (fingerprint) => void post({ type: "fingerprint", ...on, step_id: id, fingerprint }),
      isAllowed: async () => (await element())?.is_allowed ?? false,
      rejected: async () => (await element())?.rejected ?? [],
    };
  };

/** Downloads the files of a test's project from the service in parts, within `limitMs`. */
export const remoteFiles =
  (
    requests: Requests,
    on: AttemptKey,
    steps: readonly Step[],
    limitMs: number,
    signal: AbortSignal,
  ): ReadFile =>
  async (name) => {
    const number = steps.findIndex(({ action, disabled }) => action === "upload" && !disabled) + 1;
    const deadline = performance.now() + limitMs;
    const ask = async (offset: number) => {
      const left = Math.max(0, deadline - performance.now());
      const question = { ...on, number, name, offset };
      const answer = await requests.ask("file", question, left, signal);
      if (!answer)
        throw new CannotJudgeError(`${fileLabel(name)} did not arrive from the service in time.`);
      if (answer.kind === "failed")
        throw new CannotJudgeError(`${fileLabel(name)}: ${answer.reason}`);
      return answer;
    };

    for (let download = 0; download < MAX_DOWNLOADS; download += 1) {
      const first = await ask(0);
      if (first.kind === "none") return null;
      const { id, bytes, content_type: contentType } = first;
      if (bytes > MAX_FILE_BYTES) throw new CannotJudgeError(`${fileLabel(name)} is too large.`);
      const pieces = [Buffer.from(first.base64, "base64")];
      let length = pieces[0]?.length ?? 0;
      while (length < bytes) {
        const next = await ask(length);
        if (next.kind === "none" || next.id !== id || next.base64 === "") break;
        const piece = Buffer.from(next.base64, "base64");
        pieces.push(piece);
        length += piece.length;
      }
      if (length === bytes) return { bytes: Buffer.concat(pieces), contentType };
    }
    throw new CannotJudgeError(`${fileLabel(name)} changed during the download.`);
  };

const fileLabel = (name: string): string => `The file ${JSON.stringify(name)}`;
