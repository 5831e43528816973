import { inspectNats } from "../../platform/bus/inspectNats.ts";
import type { Config } from "../../platform/config.ts";
import { addressOf } from "../../platform/credentials.ts";
import { inspectEventLog } from "../../platform/eventLog/inspectEventLog.ts";
import { inspectMail } from "../../platform/mail/inspectMail.ts";
import { diagnoseSetting, type PartSetting } from "../../platform/settingFailure.ts";
import { findEventStore } from "../eventStoreAddress.ts";
import { bad, type Finding, note, ok } from "./finding.ts";

/** Time limit of one part, in milliseconds. */
const PATIENCE_MS = 5_000;
/** The oldest supported EventStoreDB major version: older servers lack usable filters of `$all`. */
const OLDEST_LOG = 21;
const OLDEST_NATS = [2, 9] as const;
const LOW_STORAGE = 64 * 1024 ** 2;

/** The finding for an unreachable part. */
export const unreachablePart = (
  name: string,
  setting: PartSetting,
  url: string,
  error: unknown,
): Finding => {
  const { what, advice } = diagnoseSetting(setting, addressOf(url), error);
  return bad(name, what, advice ?? "See the log of that part.");
};

/** A note if the connection crosses a network unencrypted. */
const unencrypted = (name: string, url: string, found: string, encrypted: boolean): Finding =>
  encrypted || isLoopback(url)
    ? ok(name, found)
    : note(name, found, "The traffic can be read in transit. Use TLS outside of a closed network.");

const isLoopback = (url: string): boolean =>
  /^[a-z+]+:\/\/(?:[^@/]*@)?(localhost|127\.\d+\.\d+\.\d+|\[::1\])[:/?]/i.test(`${url}/`);

/** Checks the event log of the settings, or the running embedded one. */
export const checkEventLog = async (config: Config): Promise<Finding> => {
  const name = "event log";
  const { eventstoreUrl } = config;
  const url = eventstoreUrl ?? (await findEventStore(config.dataDir));
  if (url === null) return ok(name, "embedded, starts with the service");
  try {
    const { version, newest } = await inspectEventLog(url, PATIENCE_MS);
    const at = newest === null ? "empty" : `newest event at ${newest}`;
    if (eventstoreUrl === null) return ok(name, `embedded, running, ${at}`);
    const found = `EventStoreDB ${version} at ${addressOf(url)}, ${at}`;
    const major = Number(version.split(".")[0]);
    if (major < OLDEST_LOG) return bad(name, found, "Use EventStoreDB 23.10 LTS or newer.");
    if (hasUnusedCredentials(url)) {
      const advice =
        "With tls=false, user and password of EVENTSTORE_URL are not sent. Use tls=true.";
      return note(name, found, advice);
    }
    return unencrypted(name, url, found, !/[?&]tls=false/i.test(url));
  } catch (error) {
    return unreachablePart(name, "EVENTSTORE_URL", url, error);
  }
};

const hasUnusedCredentials = (url: string): boolean =>
  /^[a-z+]+:\/\/[^?]*@/i.test(url) && /[?&]tls=false/i.test(url);

/** Checks NATS if NATS_URL is set. */
export const checkBus = async ({ natsUrl }: Config): Promise<Finding> => {
  const name = "bus";
  if (natsUrl === null) return ok(name, "in process");
  try {
    const { version, jetStream, roundTripMs, encrypted } = await inspectNats(natsUrl, PATIENCE_MS);
    const found = `NATS ${version} at ${addressOf(natsUrl)}, ${roundTripMs} ms`;
    const [major = 0, minor = 0] = version.split(".").map(Number);
    if (major < OLDEST_NATS[0] || (major === OLDEST_NATS[0] && minor < OLDEST_NATS[1])) {
      return bad(name, found, `Use NATS ${OLDEST_NATS.join(".")} or newer.`);
    }
    if (!jetStream) {
      return bad(
        name,
        `${found}, without JetStream`,
        "Start it with `-js` and a storage folder (`-sd /data`), and allow this user to use JetStream.",
      );
    }
    const { streams, storageLeft } = jetStream;
    const stored = `${found}, JetStream with ${streams} streams`;
    if (storageLeft !== null && storageLeft < LOW_STORAGE) {
      return bad(name, `${stored}, ${storageLeft} bytes left`, "Raise max_storage of the account.");
    }
    return unencrypted(name, natsUrl.split(",")[0] ?? natsUrl, stored, encrypted);
  } catch (error) {
    return unreachablePart(name, "NATS_URL", natsUrl, error);
  }
};

/** Checks the mail server if SMTP_URL is set. Sends no mail. */
export const checkMail = async ({ smtpUrl, mailFrom, mailFolder }: Config): Promise<Finding> => {
  const name = "mail";
  if (smtpUrl === null) {
    return note(
      name,
      `written to ${mailFolder}: no mail is delivered`,
      "Set SMTP_URL and MAIL_FROM, so that users can verify their addresses and reset their passwords.",
    );
  }
  try {
    const { greeting, encrypted, signedIn } = await inspectMail(smtpUrl, PATIENCE_MS);
    const tls = encrypted ? "TLS" : "no TLS";
    const user = signedIn === null ? "no user" : "signed in";
    const found = `${greeting} at ${addressOf(smtpUrl)}, ${tls}, ${user}, from ${mailFrom}`;
    return unencrypted(name, smtpUrl, found, encrypted);
  } catch (error) {
    return unreachablePart(name, "SMTP_URL", smtpUrl, error);
  }
};
