import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright";
import { type EvidenceFile, MAX_EVIDENCE_BYTES } from "../../domain/runs/executions/evidence.ts";
import type { EvidenceKind } from "../../domain/runs/pinned.ts";
import { within } from "../../platform/within.ts";
import { listenToPages } from "./consoleLog.ts";
import { plainMessage, shorten } from "./errors.ts";
import { createProblems, type Problems } from "./problems.ts";

/** The recordings of a test besides its steps and pictures. */
export type EvidenceWish = {
  readonly trace: boolean;
  readonly har: boolean;
  readonly video: boolean;
};

/** The recordings of an attempt: those that were asked for, and a trace of a retry. */
export const evidenceOf = (asked: readonly EvidenceKind[], attempt: number): EvidenceWish => ({
  trace: attempt > 1 || asked.includes("trace"),
  har: asked.includes("har"),
  video: asked.includes("video"),
});

/** A file that a test left; `bytes` null when there is none, and `absent` says why. */
export type Evidence = {
  readonly name: EvidenceFile;
  readonly contentType: string;
  readonly bytes: Buffer | null;
  readonly absent: string | null;
};

/** A recorder that has not begun or ended by then is given up. */
const PATIENCE_MS = 5_000;
/** A recording that nobody wants any more is not waited for: its browser must be gone soon. */
const ABANDON_MS = 500;

const WITH_SECRETS =
  "The test put a secret into the page: this is kept only where the organisation says so (keep_evidence_with_secrets).";

const NO_PLACE = "There is no place on the disk of the machine that ran the test.";

type Recorder = {
  readonly name: EvidenceFile;
  readonly contentType: string;
  start(path: string): Promise<unknown>;
  stop(path: string): Promise<unknown>;
};

const recordersOf = (context: BrowserContext, page: Page, wish: EvidenceWish): Recorder[] => [
  ...(wish.trace
    ? [
        {
          name: "trace.zip" as const,
          contentType: "application/zip",
          start: () => context.tracing.start({ screenshots: true, snapshots: true }),
          stop: (path: string) => context.tracing.stop({ path }),
        },
      ]
    : []),
  ...(wish.har
    ? [
        {
          name: "network.har" as const,
          contentType: "application/json",
          start: (path: string) => context.tracing.startHar(path, { content: "omit" }),
          stop: () => context.tracing.stopHar(),
        },
      ]
    : []),
  ...(wish.video
    ? [
        {
          name: "video.webm" as const,
          contentType: "video/webm",
          start: (path: string) => page.screencast.start({ path }),
          stop: () => page.screencast.stop(),
        },
      ]
    : []),
];

export type EvidenceRecording = {
  /** Problems of the pages while the test runs. */
  readonly problems: Problems;
  /** The recordings. `mayKeep`: false when a secret may be in it. Never rejects, and takes seconds at most. */
  collect(mayKeep: boolean): Promise<readonly Evidence[]>;
  /** Ends a trace of a test that was stopped while its context is open: Playwright forgets its folder else. Never rejects. */
  abandon(): Promise<void>;
  /** Leaves nothing of it on the disk: for a test that was stopped, once its context is closed. Never rejects. */
  discard(): Promise<void>;
};

/**
 * Records what was wished for, and what pages say on their console and which requests fail: that costs
 * nothing to speak of. Never rejects: what cannot be recorded is absent, with the reason.
 */
export const recordEvidence = async (
  context: BrowserContext,
  page: Page,
  wish: EvidenceWish,
): Promise<EvidenceRecording> => {
  const problems = createProblems();
  const heard = listenToPages(context, problems);
  const recorders = recordersOf(context, page, wish);
  const folder =
    recorders.length > 0
      ? await mkdtemp(join(tmpdir(), "runledger-evidence-")).catch(() => "")
      : "";
  const begun = new Map<Recorder, string | null>();
  for (const each of recorders) {
    const problem = folder === "" ? NO_PLACE : await problemOf(each.start(join(folder, each.name)));
    begun.set(each, problem);
  }

  const discard = async (): Promise<void> => {
    if (folder !== "") await rm(folder, { recursive: true, force: true }).catch(() => {});
  };

  return {
    problems,
    abandon: async () => {
      if (!wish.trace) return;
      await within(context.tracing.stop(), ABANDON_MS, () => null).catch(() => {});
    },
    discard,
    collect: async (mayKeep) => {
      const found: Evidence[] = [];
      for (const each of recorders) {
        const { name, contentType } = each;
        found.push(
          await collectOne(each, begun.get(each) ?? null, folder, mayKeep).catch(
            (error: unknown) => ({
              ...{ name, contentType, bytes: null },
              absent: shorten(plainMessage(error)),
            }),
          ),
        );
      }
      await discard();
      const said = heard();
      if (said === null) return found;
      const bytes = mayKeep ? Buffer.from(JSON.stringify(said, null, 2)) : null;
      const contentType = "application/json";
      const absent = mayKeep ? null : WITH_SECRETS;
      return [...found, { name: "console.json", contentType, bytes, absent }];
    },
  };
};

/** Ends a recorder and reads its file. `problem`: why it did not begin. */
const collectOne = async (
  recorder: Recorder,
  problem: string | null,
  folder: string,
  mayKeep: boolean,
): Promise<Evidence> => {
  const { name, contentType } = recorder;
  const path = join(folder, name);
  const absent = (why: string): Evidence => ({ name, contentType, bytes: null, absent: why });
  const failed = problem ?? (await problemOf(recorder.stop(path)));
  if (failed) return absent(failed);
  if (!mayKeep) return absent(WITH_SECRETS);
  const size = (await stat(path).catch(() => null))?.size ?? 0;
  if (size === 0) return absent("Nothing was recorded.");
  if (size > MAX_EVIDENCE_BYTES) {
    return absent(`It has ${size} bytes; ${MAX_EVIDENCE_BYTES} are kept at most.`);
  }
  return { name, contentType, bytes: await readFile(path), absent: null };
};

/** Why something did not work out in time; null when it did. */
const problemOf = async (doing: Promise<unknown>): Promise<string | null> => {
  try {
    await within(doing, PATIENCE_MS, () => {
      throw new Error("It did not end in time.");
    });
    return null;
  } catch (error) {
    return shorten(plainMessage(error)) || "It could not be recorded.";
  }
};
