import vm from "node:vm";
import { type CallFailure, invalidArgument } from "../failures.ts";

/** A caller's regular expression. */
export type Pattern = {
  /** Those of the texts that it matches. Throws INVALID_ARGUMENT when that takes too long. */
  matching(texts: readonly string[]): ReadonlySet<string>;
};

/** A caller's expression that takes too long is refused, late. */
export const tooSlow = (): CallFailure =>
  invalidArgument("The filter's regular expression takes too long");

/** So long may a caller's expression hold up the process, for a page of events. */
const PATIENCE_MS = 250;
/** So many answers are kept: event types are few, and come again and again. */
const MAX_KNOWN = 10_000;

/**
 * Reads a regular expression. It is run where it can be stopped: one that backtracks without end must
 * not hold up everybody else. Throws INVALID_ARGUMENT when it cannot be read.
 */
export const readPattern = (source: string): Pattern => {
  try {
    new RegExp(source);
  } catch {
    throw invalidArgument("The filter's regular expression cannot be read");
  }
  const known = new Map<string, boolean>();
  return {
    matching: (texts) => {
      const unknown = [...new Set(texts)].filter((text) => !known.has(text));
      if (known.size + unknown.length > MAX_KNOWN) {
        known.clear();
        unknown.splice(0, unknown.length, ...new Set(texts));
      }
      if (unknown.length > 0) {
        const answers = judge(source, unknown);
        for (const [i, text] of unknown.entries()) known.set(text, answers[i] ?? false);
      }
      return new Set(texts.filter((text) => known.get(text)));
    },
  };
};

/** One for all expressions: each has a memory of its own, and subscriptions may be many. */
let bench: { readonly context: vm.Context; readonly script: vm.Script } | null = null;

const judge = (source: string, texts: readonly string[]): readonly boolean[] => {
  bench ??= {
    context: vm.createContext({}),
    script: new vm.Script(
      "(() => { const pattern = new RegExp(source); return texts.map((text) => pattern.test(text)); })()",
    ),
  };
  Object.assign(bench.context, { source, texts });
  const before = process.cpuUsage();
  try {
    for (;;) {
      try {
        return bench.script.runInContext(bench.context, {
          timeout: PATIENCE_MS,
        }) as readonly boolean[];
      } catch (error) {
        const { code } = error as { code?: unknown };
        if (code !== "ERR_SCRIPT_EXECUTION_TIMEOUT" || isBusy(before)) throw tooSlow();
      }
    }
  } finally {
    Object.assign(bench.context, { source: "", texts: [] });
  }
};

/** A machine that others keep busy lets a process stand still: that is no fault of the expression. */
const isBusy = (before: NodeJS.CpuUsage): boolean => {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 >= PATIENCE_MS / 2;
};

/**
 * The expression as Postgres writes it, where it means the same for texts of printable ASCII; null
 * where that is not certain. Known are: literals, `.`, classes, groups without names, alternatives,
 * quantifiers, `^`, `$`, and looking ahead and behind.
 */
export const toPostgres = (source: string): string | null => {
  // What Postgres would take for a director or for options.
  if (source.startsWith("***") || source.length > MAX_SOURCE) return null;
  let at = 0;
  let depth = 0;
  let quantifiable = false;
  while (at < source.length) {
    const rest = source.slice(at);
    const token = TOKENS.find(({ form }) => form.test(rest));
    const text = token?.form.exec(rest)?.[0];
    if (!token || text === undefined) return null;
    switch (token.kind) {
      case "quantifier":
        if (!quantifiable || !isSmall(text)) return null;
        quantifiable = false;
        break;
      case "open":
        depth += 1;
        quantifiable = false;
        break;
      case "close":
        if (depth === 0) return null;
        depth -= 1;
        quantifiable = true;
        break;
      case "look":
        // What follows a closed look-around must not repeat it: groups of both kinds end alike.
        if (!isClosedAlone(rest)) return null;
        depth += 1;
        quantifiable = false;
        break;
      case "anchor":
        quantifiable = false;
        break;
      case "atom":
        quantifiable = true;
        break;
    }
    at += text.length;
  }
  return depth === 0 ? source : null;
};

const MAX_SOURCE = 1_000;
/** The most often that Postgres repeats. */
const MAX_REPEATS = 255;

type Token = {
  readonly kind: "quantifier" | "open" | "close" | "look" | "anchor" | "atom";
  readonly form: RegExp;
};

/** `-` stands for itself at either end alone: `[a-\d]` is a range to Postgres, and refused. */
const CLASS_CHARACTER = String.raw`(?:\\[^A-Za-z0-9]|[^\]\[\\^-])`;
const CLASS_ITEM = String.raw`(?:\\[dws]|${CLASS_CHARACTER}(?:-${CLASS_CHARACTER})?)`;

const TOKENS: readonly Token[] = [
  { kind: "quantifier", form: /^(?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})\??/ },
  { kind: "look", form: /^\(\?<?[=!]/ },
  { kind: "open", form: /^\((?:\?:|(?!\?))/ },
  { kind: "close", form: /^\)/ },
  { kind: "anchor", form: /^[\^$|]/ },
  { kind: "atom", form: new RegExp(`^\\[\\^?(?:-?${CLASS_ITEM}+-?|-)\\]`) },
  { kind: "atom", form: /^\\(?:[dwsDWS]|[!-/:-@[-`{-~])/ },
  { kind: "atom", form: /^[^\\[\](){}*+?^$|]/ },
];

const isSmall = (quantifier: string): boolean =>
  (quantifier.match(/\d+/g) ?? []).every((times) => Number(times) <= MAX_REPEATS);

/** Whether the look-around that begins here holds no group, and is not repeated. */
const isClosedAlone = (rest: string): boolean =>
  /^\(\?<?[=!][^()\\[]*\)(?![*+?{])/.test(rest) ||
  /^\(\?<?[=!](?:[^()\\[]|\\.)*\)(?![*+?{])/.test(rest);
