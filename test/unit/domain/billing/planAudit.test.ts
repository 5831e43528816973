import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PlanCommand, planDecider } from "../../../../src/domain/billing/plan.ts";
import { findDamage, walkWhole } from "../../../../src/domain/billing/planAudit.ts";
import type { EventIds } from "../../../../src/domain/billing/planEvents.ts";
import {
  type ExportFormat,
  exportFormats,
  type HeadClaims,
  preamble,
  readHead,
  readLine,
  writeHead,
  writeLine,
} from "../../../../src/domain/billing/planExport.ts";
import {
  historyStart,
  nextLine,
  type Seen,
  type StoredEvent,
} from "../../../../src/domain/billing/planLines.ts";
import { currentPlan } from "../../../../src/domain/billing/planState.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

let made = 0;
const newId = (): string => {
  made += 1;
  return `019a0000-0000-7000-8000-${String(made).padStart(12, "0")}`;
};
const ids = (): EventIds => Array.from({ length: 4 }, newId) as unknown as EventIds;

/** A history of grants, changes and an expired request, one hour apart. */
const historyOf = (moves: readonly number[]): StoredEvent[] => {
  let state = planDecider.initial;
  const stored: StoredEvent[] = [];
  const plans = ["free", "starter", "team", "business"] as const;
  const act = (command: PlanCommand, at: string) => {
    for (const event of planDecider.decide(command, state)) {
      const data = JSON.parse(JSON.stringify(event.data));
      state = planDecider.evolve(state, event);
      const metadata = {
        $correlationId: newId(),
        $causationId: newId(),
        actor: { type: "user" as const, id: newId(), name: 'a "name", with commas' },
        organization_id: newId(),
        occurred_at: at,
        recorded_at: at,
        schema_version: 1,
        command: command.type,
      };
      stored.push({ id: newId(), type: event.type, data, metadata });
    }
  };
  const start = Date.parse("2026-01-01T00:00:00.000Z");
  act({ type: "start", changeId: newId() }, new Date(start).toISOString());
  for (const [nth, move] of moves.entries()) {
    const at = new Date(start + (nth + 1) * 3_600_000).toISOString();
    const plan = plans[move % 4] ?? "free";
    const changeId = newId();
    const { open } = currentPlan(state);
    const reason = 'because, he said "so",\nthere';
    if (move >= 8) act({ type: "grant", changeId, plan, reason }, at);
    else if (open) act({ type: "cancelChange", changeId: open.id }, at);
    else if (plan !== "free" && plan !== currentPlan(state).own.terms.plan) {
      act({ type: "requestChange", changeId, to: { plan, interval: "month" }, at }, at);
      if (move >= 4) act({ type: "confirmChange", changeId, payment: "dev", at, ids: ids() }, at);
    }
  }
  return stored;
};

const exported = (history: readonly StoredEvent[], format: ExportFormat) => {
  let reached = historyStart;
  const texts: string[] = [];
  let text = preamble(format);
  for (const stored of history) {
    const next = nextLine(reached, stored, digest);
    reached = next.reached;
    text += writeLine(next.line, format);
  }
  texts.push(...text.split("\n").slice(0, -1));
  const claims: HeadClaims = {
    organization_id: "an organisation",
    exported_at: "2026-02-01T00:00:00.000Z",
    format,
    count: reached.sequence,
    hash: reached.hash,
    sha256: digest(text),
  };
  return { texts, claims };
};

const moves = fc.array(fc.nat(11), { minLength: 2, maxLength: 8 });
const format = fc.constantFrom(...exportFormats);
const everything = { asOf: null, knownAt: null };
const walked = (texts: readonly string[], claims: HeadClaims, seen: Seen = everything) => {
  const walk = walkWhole(claims, digest, seen);
  for (const text of texts) walk.take(text);
  return walk.end();
};
/** The findings of `findDamage`. `walkWhole` must report damage as well. */
const damageOf = (texts: readonly string[], claims: HeadClaims) => {
  const looking = findDamage(claims, digest);
  for (const text of texts) looking.take(text);
  const sha256 = digest(texts.map((text) => `${text}\n`).join(""));
  const damage = looking.end(sha256);
  const isWhole = walked(texts, claims) !== null && sha256 === claims.sha256;
  expect(isWhole).toBe(damage.findings.length === 0);
  return damage;
};
const check = (texts: readonly string[], claims: HeadClaims) => damageOf(texts, claims).findings;

describe("an export of a plan's history", () => {
  it("verifies any history and returns the plan of its events", () => {
    fc.assert(
      fc.property(moves, format, (some, as) => {
        const history = historyOf(some);
        const { texts, claims } = exported(history, as);
        expect(check(texts, claims)).toEqual([]);
        for (const [nth, { metadata }] of history.entries()) {
          const asOf = metadata.occurred_at;
          const until = history.filter((event) => event.metadata.occurred_at <= asOf);
          const state = until.reduce(
            (before, { type, data }) =>
              planDecider.evolve(
                before,
                planDecider.codec.decode({ type, data, schemaVersion: 1 }),
              ),
            planDecider.initial,
          );
          const { plan, own } = currentPlan(state);
          const then = walked(texts, claims, { asOf, knownAt: null });
          expect(then).toEqual({ plan, own: own.terms });
          expect(nth).toBeLessThan(claims.count);
        }
      }),
      { numRuns: 40 },
    );
  });

  it("names a line with any changed character", () => {
    const change = fc.record({ line: fc.nat(), at: fc.nat(), to: fc.constantFrom(...'x0 "{},') });
    fc.assert(
      fc.property(moves, format, change, (some, as, { line, at, to }) => {
        const { texts, claims } = exported(historyOf(some), as);
        const first = as === "csv" ? 1 : 0;
        const index = first + (line % (texts.length - first));
        const text = texts[index] ?? "";
        const where = at % text.length;
        fc.pre(text[where] !== to);
        const altered = texts.with(index, text.slice(0, where) + to + text.slice(where + 1));
        expect(check(altered, claims)).toEqual([
          { kind: "altered", line: index + 1, sequence: index - first + 1 },
        ]);
      }),
      { numRuns: 300 },
    );
  });

  it("names a line that was changed and rehashed", () => {
    fc.assert(
      fc.property(moves, fc.nat(), format, (some, nth, as) => {
        const history = historyOf(some);
        const { texts, claims } = exported(history, as);
        const index = nth % history.length;
        const before = history[index];
        if (!before) return;
        const forged = { ...before, id: newId() };
        let reached = historyStart;
        let line = "";
        for (const stored of [...history.slice(0, index), forged]) {
          const next = nextLine(reached, stored, digest);
          reached = next.reached;
          line = writeLine(next.line, as).trimEnd();
        }
        const at = index + (as === "csv" ? 1 : 0);
        expect(check(texts.with(at, line), claims)).toEqual([
          { kind: "altered", line: at + 1, sequence: index + 1 },
        ]);
        // With all later lines rehashed the signed hash is missing, and nothing is proven.
        const rest = exported(history.with(index, forged), as).texts;
        const { findings, provenFrom } = damageOf(rest, claims);
        expect(findings).toEqual([
          { kind: "altered", line: rest.length, sequence: history.length },
        ]);
        expect(provenFrom).toBe(history.length + 1);
      }),
      { numRuns: 60 },
    );
  });

  it("names a plan change whose lines do not add up, even if all is rehashed and signed", () => {
    const history = historyOf([1, 5]);
    const index = history.findIndex(({ type }) => type === "PlanChangeCreated");
    const change = history[index];
    if (!change) throw new Error("The history has no plan change");
    const data = change.data as { readonly lines: readonly { readonly cents: number }[] };
    const lines = data.lines.map((line) => ({ ...line, cents: line.cents + 1 }));
    const forged = history.with(index, { ...change, data: { ...data, lines } });
    for (const as of exportFormats) {
      const { texts, claims } = exported(forged, as);
      const walk = walkWhole(claims, digest, { asOf: null, knownAt: null });
      for (const text of texts) walk.take(text);
      expect(walk.end()).toBeNull();
      const looking = findDamage(claims, digest);
      for (const text of texts) looking.take(text);
      expect(looking.end(claims.sha256).findings).toEqual([
        {
          kind: "bytes",
          reason: expect.stringMatching(/dueCents is \d+, but the lines add up to \d+/),
        },
      ]);
    }
  });

  it("names removed lines, also at the end", () => {
    fc.assert(
      fc.property(
        moves,
        fc.nat(),
        fc.integer({ min: 1, max: 3 }),
        format,
        (some, nth, many, as) => {
          const { texts, claims } = exported(historyOf(some), as);
          const first = as === "csv" ? 1 : 0;
          const index = nth % (texts.length - first);
          const count = Math.min(many, texts.length - first - index);
          const removed = texts.toSpliced(index + first, count);
          expect(check(removed, claims)).toEqual([
            { kind: "removed", from: index + 1, to: index + count, after: index + first },
          ]);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("names an inserted copy, forgery or malformed line", () => {
    const kinds = fc.constantFrom("copy", "forged", "nonsense", "empty");
    fc.assert(
      fc.property(moves, fc.nat(), fc.nat(), kinds, format, (some, of, to, kind, as) => {
        const history = historyOf(some);
        const { texts, claims } = exported(history, as);
        const first = as === "csv" ? 1 : 0;
        const source = first + (of % (texts.length - first));
        const at = first + (to % (texts.length - first + 1));
        const copy = texts[source] ?? "";
        const others = exported(historyOf([8, 9, 10]), as).texts;
        const line = { copy, forged: others[first + 1] ?? "", nonsense: "x,y", empty: "" }[kind];
        const found = check(texts.toSpliced(at, 0, line), claims);
        // Either of two equal neighbours may be named as the copy.
        const isBeside = kind === "copy" && (at === source || at === source + 1);
        const named = isBeside ? [source + 1, source + 2] : [at + 1];
        expect(found).toHaveLength(1);
        expect(found[0]?.kind).toBe("put_in");
        expect(named).toContain((found[0] as { line: number }).line);
      }),
      { numRuns: 150 },
    );
  });

  it("names a moved line", () => {
    fc.assert(
      fc.property(moves, fc.nat(), fc.nat(), format, (some, of, to, as) => {
        const { texts, claims } = exported(historyOf(some), as);
        const first = as === "csv" ? 1 : 0;
        const [from, at] = [of % (texts.length - first), to % (texts.length - first)];
        fc.pre(from !== at);
        const line = texts[from + first] ?? "";
        const found = check(
          texts.toSpliced(from + first, 1).toSpliced(at + first, 0, line),
          claims,
        );
        expect(found).toHaveLength(1);
        // Either of two swapped neighbours may be named as moved.
        const beside = Math.abs(from - at) === 1 ? [from + 1, at + 1] : [from + 1];
        expect(found[0]).toMatchObject({ kind: "moved" });
        expect(beside).toContain((found[0] as { sequence: number }).sequence);
      }),
      { numRuns: 150 },
    );
  });

  it("reports changed CSV columns", () => {
    const { texts, claims } = exported(historyOf([8]), "csv");
    expect(check(texts.with(0, `${texts[0]},more`), claims)).toEqual([
      { kind: "bytes", reason: expect.stringContaining("columns") },
    ]);
  });

  it("verifies an empty history", () => {
    for (const as of exportFormats) {
      const { texts, claims } = exported([], as);
      expect(check(texts, claims)).toEqual([]);
    }
  });

  it("reads a head only from a head line", () => {
    for (const as of exportFormats) {
      expect(readHead(writeHead("a.b-c.d_e", as).trimEnd(), as)).toBe("a.b-c.d_e");
      const [line = ""] = exported(historyOf([8]), as).texts.slice(-1);
      expect(readHead(line, as)).toBeNull();
      expect(readLine(writeHead("a.b.c", as).trimEnd(), as)).toBeNull();
    }
  });
});
