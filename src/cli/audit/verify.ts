import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { calculateJwkThumbprint, compactVerify, EmbeddedJWK, type JWK } from "jose";
import { z } from "zod";
import {
  type Finding,
  findDamage,
  type PlanThen,
  walkWhole,
} from "../../domain/billing/planAudit.ts";
import {
  type ExportFormat,
  exportFormats,
  HEAD_TYPE,
  type HeadClaims,
  headClaims,
  readHead,
} from "../../domain/billing/planExport.ts";
import { assertNever } from "../../domain/kernel/errors.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import type { Terminal } from "../terminal.ts";
import { openLines } from "./exportLines.ts";

export type AuditOptions = {
  /** To which instants the history is replayed; null: all of it. ISO 8601, UTC, milliseconds. */
  readonly asOf: string | null;
  readonly knownAt: string | null;
  /** The keys that are trusted: a file or an http(s) address of a JWKS; null where the key in the head is to do. */
  readonly jwks: string | null;
  /** The only key that is trusted, by its thumbprint. */
  readonly key: string | null;
};

/** The head of a file, and the key that signed it. */
type Head = { readonly claims: HeadClaims; readonly kid: string };

/**
 * Checks an export of a plan's history, without a service, and replays it, in pieces of `chunkBytes` at a time.
 * Answers the exit code: 0 whole, 1 not. Throws CommandError: 2 no export, 3 the trusted keys cannot be had.
 */
export const verifyExport = async (
  file: string,
  options: AuditOptions,
  terminal: Terminal,
  chunkBytes?: number,
): Promise<number> => {
  const unreadable = (error: NodeJS.ErrnoException): never => {
    throw new CommandError(`${file} cannot be read: ${error.code}.`, exitCodes.usage);
  };
  const trusted = options.jwks === null ? null : await keysOf(options.jwks);
  const { lines, head: last, ending } = await openLines(file, chunkBytes).catch(unreadable);
  const found = last === null ? null : findHead(last);
  const reasons: string[] = [];
  if (ending !== "") reasons.push("The file does not end with a line feed: its end is missing.");
  if (!found) {
    // Nothing need be missing: mail, editors and version control write line ends of their own.
    const isCrLf = last?.endsWith("\r") && findHead(last.slice(0, -1)) !== null;
    reasons.push(
      isCrLf
        ? "The head ends with CR LF, an export's lines with a line feed: line ends were changed on the way."
        : "The last line is no signed head: lines at the end were removed, or put in.",
    );
    return broken(file, reasons, [], terminal);
  }
  const head = await verifiedHead(found.jws);
  if (typeof head === "string") return broken(file, [...reasons, head], [], terminal);
  const { claims, kid } = head;
  if (claims.format !== found.format) reasons.push("The head is that of a file of another format.");
  if (trusted && !trusted.has(kid)) reasons.push(`The key ${kid} is none of those of --jwks.`);
  if (options.key !== null && options.key !== kid) {
    reasons.push(`It was signed by the key ${kid}, not by ${options.key}.`);
  }
  const walk = walkWhole(claims, digest, options);
  const { isUtf8, sha256 } = await lines(walk.take).catch(unreadable);
  const planAt = walk.end();
  // What is not UTF-8 would come out of the text as something else than it went in.
  if (!isUtf8) reasons.push("It is not UTF-8.");
  if (planAt !== null && isUtf8 && sha256 === claims.sha256) {
    if (reasons.length > 0) return broken(file, reasons, [], terminal);
    whole(file, head, planAt, options, terminal);
    return exitCodes.passed;
  }
  // What was done to it shows when all its lines are held against each other.
  const damage = findDamage(claims, digest);
  await lines(damage.take).catch(unreadable);
  const { findings, provenFrom } = damage.end(sha256);
  reasons.push(...findings.map(inWords));
  if (findings.length > 0 && provenFrom > 1) reasons.push(unproven(provenFrom));
  if (reasons.length === 0) reasons.push("It was changed while it was read.");
  return broken(file, reasons, findings, terminal);
};

const findHead = (text: string): { readonly jws: string; readonly format: ExportFormat } | null => {
  for (const format of exportFormats) {
    const jws = readHead(text, format);
    if (jws !== null) return { jws, format };
  }
  return null;
};

/** What the head says; a text when it is not what was signed. */
const verifiedHead = async (jws: string): Promise<Head | string> => {
  // Bits that nobody reads could be changed without anybody noticing.
  const isPlain = jws
    .split(".")
    .every((part) => Buffer.from(part, "base64url").toString("base64url") === part);
  if (!isPlain) return ALTERED_HEAD;
  try {
    const { payload, protectedHeader } = await compactVerify(jws, EmbeddedJWK, {
      algorithms: ["ES256"],
    });
    if (protectedHeader.typ !== HEAD_TYPE) return "The last line is signed, but no head.";
    const claims = headClaims.parse(JSON.parse(new TextDecoder().decode(payload)));
    // By what the key is, not by what it is called.
    return { claims, kid: await calculateJwkThumbprint(protectedHeader.jwk as JWK) };
  } catch {
    // Nothing is read or asked for here: whatever fails, fails because of what stands there.
    return ALTERED_HEAD;
  }
};

const ALTERED_HEAD = "The last line is not what was signed: the head was altered.";

const jwks = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

/** The thumbprints of trusted keys. */
const keysOf = async (source: string): Promise<ReadonlySet<string>> => {
  const isAddress = /^https?:\/\//.test(source);
  try {
    const text = isAddress
      ? await fetch(source, { signal: AbortSignal.timeout(10_000) }).then((answer) => answer.text())
      : await readFile(source, "utf8");
    const { keys } = jwks.parse(JSON.parse(text));
    return new Set(await Promise.all(keys.map((key) => calculateJwkThumbprint(key as JWK))));
  } catch {
    throw new CommandError(
      `There are no keys at ${source}: give --jwks a file, or the address /api/v1/auth/jwks.json of the service.`,
      exitCodes.unavailable,
    );
  }
};

const inWords = (finding: Finding): string => {
  switch (finding.kind) {
    case "altered":
      return `Line ${finding.line} was altered: event ${finding.sequence} of the history.`;
    case "put_in":
      return `Line ${finding.line} was put in: it is no event of the history.`;
    case "moved":
      return `Line ${finding.line} was moved: it is event ${finding.sequence} of the history.`;
    case "removed": {
      const { from, to, after } = finding;
      const which = from === to ? `event ${from}` : `events ${from} to ${to}`;
      return `Removed after line ${after}: ${which} of the history.`;
    }
    case "bytes":
      return finding.reason;
    default:
      return assertNever(finding);
  }
};

const unproven = (provenFrom: number): string =>
  `The signature proves the events from ${provenFrom} on. Those before agree with each other, but whoever did this could have written them anew.`;

const broken = (
  file: string,
  reasons: readonly string[],
  findings: readonly Finding[],
  terminal: Terminal,
): number => {
  terminal.say(`${terminal.paint.red("not whole")}  ${file}`);
  for (const reason of reasons) terminal.say(`  ${reason}`);
  terminal.record({ file, whole: false, reasons, findings });
  return exitCodes.failed;
};

const whole = (
  file: string,
  { claims, kid }: Head,
  { plan, own }: PlanThen,
  { asOf, knownAt, jwks: trusted, key }: AuditOptions,
  terminal: Terminal,
): void => {
  const isCompared = trusted !== null || key !== null;
  terminal.say(`${terminal.paint.green("whole")}  ${file}`);
  terminal.say(
    `  ${claims.count} events of organisation ${claims.organization_id}: none was altered, removed or put in.`,
  );
  terminal.say(
    `  Signed ${claims.exported_at} by the key ${kid}${isCompared ? ", which you trust." : "."}`,
  );
  if (!isCompared) {
    terminal.say("  Whose key that is, the file cannot prove: compare it, with --jwks or --key.");
  }
  const when = asOf === null ? "At its end" : `On ${asOf}`;
  const how = own.interval === null ? "" : ` by the ${own.interval}`;
  const known = knownAt === null ? "" : `, as it was known on ${knownAt}`;
  const paid = own.plan === plan ? how : `; its own is ${own.plan}${how}`;
  terminal.say(`  ${when} the plan is ${plan}${paid}${known}.`);
  const { organization_id, count, hash, exported_at } = claims;
  terminal.record({
    ...{ file, whole: true, organization_id, count, hash, exported_at, kid },
    ...{ key_compared: isCompared, as_of: asOf, known_at: knownAt },
    plan_at: { plan, own_plan: own.plan, own_interval: own.interval },
  });
};

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
