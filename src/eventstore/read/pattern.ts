import vm from "node:vm";
import { type CallFailure, invalidArgument } from "../failures.ts";

/** A caller's regular expression. */
export type Pattern = {
  /** Returns the texts that match. Throws INVALID_ARGUMENT if that takes too long. */
  matching(texts: readonly string[]): ReadonlySet<string>;
};

/** The error for a regular expression that exceeds its time limit. */
export const tooSlow = (): CallFailure =>
  invalidArgument("The filter's regular expression takes too long");

/** The time limit of a regular expression for one page of events. */
const TIME_LIMIT_MS = 250;
/** Cached results per pattern: event types are few and repeat. */
const MAX_CACHED = 10_000;

/**
 * Compiles a regular expression. It runs in a VM context with a time limit: catastrophic backtracking must
 * not block the process. Throws INVALID_ARGUMENT if the expression is invalid.
 */
export const readPattern = (source: string): Pattern => {
  try {
    new RegExp(source);
  } catch {
    throw invalidArgument("The filter's regular expression is invalid");
  }
  const cached = new Map<string, boolean>();
  return {
    matching: (texts) => {
      const unknown = [...new Set(texts)].filter((text) => !cached.has(text));
      if (cached.size + unknown.length > MAX_CACHED) {
        cached.clear();
        unknown.splice(0, unknown.length, ...new Set(texts));
      }
      if (unknown.length > 0) {
        const answers = evaluate(source, unknown);
        for (const [i, text] of unknown.entries()) cached.set(text, answers[i] ?? false);
      }
      return new Set(texts.filter((text) => cached.get(text)));
    },
  };
};

/** One context for all patterns: a context needs its own heap, and there may be many subscriptions. */
let sandbox: { readonly context: vm.Context; readonly script: vm.Script } | null = null;

const evaluate = (source: string, texts: readonly string[]): readonly boolean[] => {
  sandbox ??= {
    context: vm.createContext({}),
    script: new vm.Script(
      "(() => { const pattern = new RegExp(source); return texts.map((text) => pattern.test(text)); })()",
    ),
  };
  Object.assign(sandbox.context, { source, texts });
  const before = process.cpuUsage();
  try {
    for (;;) {
      try {
        return sandbox.script.runInContext(sandbox.context, {
          timeout: TIME_LIMIT_MS,
        }) as readonly boolean[];
      } catch (error) {
        const { code } = error as { code?: unknown };
        if (code !== "ERR_SCRIPT_EXECUTION_TIMEOUT" || usedCpu(before)) throw tooSlow();
      }
    }
  } finally {
    Object.assign(sandbox.context, { source: "", texts: [] });
  }
};

/** Whether the process used CPU time. On an overloaded machine the time limit may pass without any; then the evaluation is repeated. */
const usedCpu = (before: NodeJS.CpuUsage): boolean => {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 >= TIME_LIMIT_MS / 2;
};

/**
 * Translates an expression to PostgreSQL; null unless both match the same texts of printable ASCII for
 * certain. Supported: literals, `.`, classes, unnamed groups, alternatives, quantifiers, `^`, `$`,
 * lookahead and lookbehind.
 */
export const toPostgres = (source: string): string | null => {
  // PostgreSQL would take a leading `***` for a director.
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
        if (!quantifiable || !isWithinRepeats(text)) return null;
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
        // A lookaround must not be quantified, and its `)` looks like that of a group.
        if (!isSimpleLookaround(rest)) return null;
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
/** PostgreSQL's upper bound of a repetition count. */
const MAX_REPEATS = 255;

type Token = {
  readonly kind: "quantifier" | "open" | "close" | "look" | "anchor" | "atom";
  readonly form: RegExp;
};

/** `-` is a literal only at either end: PostgreSQL takes `[a-\d]` for a range and rejects it. */
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

const isWithinRepeats = (quantifier: string): boolean =>
  (quantifier.match(/\d+/g) ?? []).every((times) => Number(times) <= MAX_REPEATS);

/** Whether the lookaround at the start of `rest` contains no group and is not quantified. */
const isSimpleLookaround = (rest: string): boolean =>
  /^\(\?<?[=!][^()\\[]*\)(?![*+?{])/.test(rest) ||
  /^\(\?<?[=!](?:[^()\\[]|\\.)*\)(?![*+?{])/.test(rest);
