import type { WireFault } from "../support/wire.ts";

/** A process that is killed with SIGKILL and restarted, as by a supervisor. */
export const victims = ["service", "executor", "database", "bus", "event_log"] as const;
export type Victim = (typeof victims)[number];

/** The wires between two parts, named from the one that connects. */
export const links = [
  "service~event_log",
  "service~database",
  "service~bus",
  "service~mail",
  "executor~event_log",
  "executor~database",
  "executor~bus",
  "event_log~database",
] as const;
export type Link = (typeof links)[number];

/** One thing that goes wrong: when, counted from the moment when the runs are asked for, and of a wire for how long. In milliseconds. */
export type Fault =
  | { readonly victim: Victim; readonly atMs: number }
  | {
      readonly link: Link;
      readonly how: WireFault;
      readonly atMs: number;
      readonly forMs: number;
    };

export type Round = {
  readonly seed: number;
  readonly faults: readonly Fault[];
  /** Whether a read model is rebuilt at the same time. */
  readonly rebuilds: boolean;
};

const hows = ["refused", "reset", "swallowed", "slow", "late"] as const;
const subjects = [...victims, ...links] as const;
/** While the runs are asked for, while they run, when the last of them end. */
const LATEST_MS = 4_000;
const CUT_MS = { least: 200, most: 3_000 } as const;
/** The probability of a second fault in a round, possibly during the first. */
const SECOND = 0.35;
const REBUILDS = 0.3;

/**
 * The faults of a round. They depend on the seed alone, so that any round can be repeated.
 * Seeds in a row go through all victims and wires in turn.
 */
export const planRound = (seed: number): Round => {
  const random = randomOf(seed);
  const among = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  const faultOf = (subject: Victim | Link): Fault => {
    const atMs = among(0, LATEST_MS);
    if (isVictim(subject)) return { victim: subject, atMs };
    const how = hows[among(0, hows.length - 1)] ?? "reset";
    return { link: subject, how, atMs, forMs: among(CUT_MS.least, CUT_MS.most) };
  };
  const faults = [faultOf(subjects[seed % subjects.length] ?? "service")];
  if (random() < SECOND) {
    const other = (seed + among(1, subjects.length - 1)) % subjects.length;
    faults.push(faultOf(subjects[other] ?? "executor"));
  }
  return { seed, faults, rebuilds: random() < REBUILDS };
};

const isVictim = (subject: Victim | Link): subject is Victim =>
  victims.some((victim) => victim === subject);

/** Whether a mail may come twice, under the same id: who had sent it could not say so any more. */
export const mayRepeatMail = ({ faults }: Round): boolean =>
  faults.some((fault) =>
    "victim" in fault
      ? fault.victim === "service" || fault.victim === "database"
      : fault.link === "service~database" || fault.link === "service~mail",
  );

/** A fault in words. */
export const wordsOf = (fault: Fault): string => {
  const at = `at ${(fault.atMs / 1_000).toFixed(2)} s`;
  return "victim" in fault
    ? `${fault.victim} killed ${at}`
    : `${fault.link} ${fault.how} ${at} for ${(fault.forMs / 1_000).toFixed(2)} s`;
};

/** Numbers from 0 to 1, always the same for a seed (Mulberry32, public domain). */
const randomOf = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};
