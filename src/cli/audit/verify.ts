import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { calculateJwkThumbprint, compactVerify, EmbeddedJWK, type JWK } from "jose";
import { z } from "zod";
import { findDamage, type PlanThen, walkWhole } from "../../domain/billing/planAudit.ts";
import type { Finding } from "../../domain/billing/planChain.ts";
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
  /** Times to replay the history to, in ISO 8601 UTC with milliseconds; null: all of it. */
  readonly asOf: string | null;
  readonly knownAt: string | null;
  /** The trusted keys: a file or an http(s) URL of a JWKS; null: trust the key in the head. */
  readonly jwks: string | null;
  /** The thumbprint of the only trusted key. */
  readonly key: string | null;
};

/** The claims of a verified head and the thumbprint of the signing key. */
type Head = { readonly claims: HeadClaims; readonly kid: string };

/**
 * Verifies and replays an export of a plan's history, reading `chunkBytes` at a time. Returns the exit code: 0 whole,
 * 1 not whole. Throws CommandError: 2 if the file cannot be read, 3 if the trusted keys are unavailable.
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
    // Mail, editors and version control may have converted the line ends.
    const isCrLf = last?.endsWith("\r") && findHead(last.slice(0, -1)) !== null;
    reasons.push(
      isCrLf
        ? "The head ends with CR LF. The lines of an export end with LF: a program has converted the line ends."
        : "The last line is not a signed head: lines at the end were removed or inserted.",
    );
    return broken(file, reasons, [], terminal);
  }
  const head = await verifiedHead(found.jws);
  if (typeof head === "string") return broken(file, [...reasons, head], [], terminal);
  const { claims, kid } = head;
  if (claims.format !== found.format)
    reasons.push("The head belongs to an export in another format.");
  if (trusted && !trusted.has(kid)) reasons.push(`The key ${kid} is not among the keys of --jwks.`);
  if (options.key !== null && options.key !== kid) {
    reasons.push(`It was signed by the key ${kid}, not by ${options.key}.`);
  }
  const walk = walkWhole(claims, digest, options);
  const { isUtf8, sha256 } = await lines(walk.take).catch(unreadable);
  const planAt = walk.end();
  if (!isUtf8) reasons.push("The file is not valid UTF-8.");
  if (planAt !== null && isUtf8 && sha256 === claims.sha256) {
    if (reasons.length > 0) return broken(file, reasons, [], terminal);
    whole(file, head, planAt, options, terminal);
    return exitCodes.passed;
  }
  // A second pass compares all lines with each other and names the damage.
  const damage = findDamage(claims, digest);
  await lines(damage.take).catch(unreadable);
  const { findings, provenFrom } = damage.end(sha256);
  reasons.push(...findings.map(describeFinding));
  if (findings.length > 0 && provenFrom > 1) reasons.push(unproven(provenFrom));
  if (reasons.length === 0) reasons.push("The file changed while it was read.");
  return broken(file, reasons, findings, terminal);
};

const findHead = (text: string): { readonly jws: string; readonly format: ExportFormat } | null => {
  for (const format of exportFormats) {
    const jws = readHead(text, format);
    if (jws !== null) return { jws, format };
  }
  return null;
};

/** The verified head; a reason if the signature does not match. */
const verifiedHead = async (jws: string): Promise<Head | string> => {
  // Base64url has unused bits that the signature does not cover.
  const isPlain = jws
    .split(".")
    .every((part) => Buffer.from(part, "base64url").toString("base64url") === part);
  if (!isPlain) return ALTERED_HEAD;
  try {
    const { payload, protectedHeader } = await compactVerify(jws, EmbeddedJWK, {
      algorithms: ["ES256"],
    });
    if (protectedHeader.typ !== HEAD_TYPE) return "The last line is signed but is not a head.";
    const claims = headClaims.parse(JSON.parse(new TextDecoder().decode(payload)));
    // The thumbprint identifies the key; `kid` is only a name.
    return { claims, kid: await calculateJwkThumbprint(protectedHeader.jwk as JWK) };
  } catch {
    // There is no I/O here: every failure is caused by the content of the head.
    return ALTERED_HEAD;
  }
};

const ALTERED_HEAD = "The head was altered: its signature does not match.";

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
      `No keys found at ${source}. Set --jwks to a file or to the URL of /api/v1/auth/jwks.json.`,
      exitCodes.unavailable,
    );
  }
};

const describeFinding = (finding: Finding): string => {
  switch (finding.kind) {
    case "altered":
      return `Line ${finding.line} was altered: event ${finding.sequence} of the history.`;
    case "put_in":
      return `Line ${finding.line} was inserted: it is not an event of the history.`;
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
  `The signature proves the events from ${provenFrom} on. The earlier events are consistent, but not proven: they may have been rewritten.`;

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
    `  ${claims.count} events of organisation ${claims.organization_id}: no line was altered, removed or inserted.`,
  );
  terminal.say(
    `  Signed ${claims.exported_at} by the key ${kid}${isCompared ? ", which you trust." : "."}`,
  );
  if (!isCompared) {
    terminal.say("  The file cannot prove whose key this is. Compare it with --jwks or --key.");
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
