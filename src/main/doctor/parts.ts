import { inspectNats } from "../../platform/bus/inspectNats.ts";
import type { Config } from "../../platform/config.ts";
import { addressOf } from "../../platform/credentials.ts";
import { inspectEventLog } from "../../platform/eventLog/inspectEventLog.ts";
import { inspectMail } from "../../platform/mail/inspectMail.ts";
import { type PartSetting, diagnoseSetting } from "../../platform/settingFailure.ts";
import { findEventStore } from "../eventStoreAddress.ts";
import { bad, type Finding, note, ok } from "./finding.ts";

/** How long one part may take to answer, in milliseconds. */
const PATIENCE_MS = 5_000;
/** EventStoreDB as it is compared with: 23.10 LTS. Older ones have no server-side filters of `$all` worth the name. */
const OLDEST_LOG = 21;
const OLDEST_NATS = [2, 9] as const;
const LITTLE_STORAGE = 64 * 1024 ** 2;

/** What is said of a part that cannot be had. */
export const unreachablePart = (
  name: string,
  setting: PartSetting,
  url: string,
  error: unknown,
): Finding => {
  const { what, advice } = diagnoseSetting(setting, addressOf(url), error);
  return bad(name, what, advice ?? "What it says of itself is in its own log.");
};

/** A warning where a password or what it protects could be read on the way. */
const unencrypted = (name: string, url: string, found: string, encrypted: boolean): Finding =>
  encrypted || isNear(url)
    ? ok(name, found)
    : note(name, found, "What goes there can be read on the way. Use TLS beyond a closed network.");

const isNear = (url: string): boolean =>
  /^[a-z+]+:\/\/(?:[^@/]*@)?(localhost|127\.\d+\.\d+\.\d+|\[::1\])[:/?]/i.test(`${url}/`);

/** The event log of the settings, or the embedded one where it runs. */
export const checkEventLog = async (config: Config): Promise<Finding> => {
  const name = "event log";
  const { eventstoreUrl } = config;
  const url = eventstoreUrl ?? (await findEventStore(config.dataDir));
  if (url === null) return ok(name, "embedded, starts with the service");
  try {
    const { version, newest } = await inspectEventLog(url, PATIENCE_MS);
    const at = newest === null ? "empty" : `newest event at ${newest}`;
    if (eventstoreUrl === null) return ok(name, `embedded, runs, ${at}`);
    const found = `EventStoreDB ${version} at ${addressOf(url)}, ${at}`;
    const major = Number(version.split(".")[0]);
    if (major < OLDEST_LOG) return bad(name, found, "Use EventStoreDB 23.10 LTS or newer.");
    if (hasIdleCredentials(url)) {
      const advice = "tls=false: user and password in EVENTSTORE_URL are not sent. Use tls=true.";
      return note(name, found, advice);
    }
    return unencrypted(name, url, found, !/[?&]tls=false/i.test(url));
  } catch (error) {
    return unreachablePart(name, "EVENTSTORE_URL", url, error);
  }
};

const hasIdleCredentials = (url: string): boolean =>
  /^[a-z+]+:\/\/[^?]*@/i.test(url) && /[?&]tls=false/i.test(url);

/** NATS, where the settings name it. */
export const checkBus = async ({ natsUrl }: Config): Promise<Finding> => {
  const name = "bus";
  if (natsUrl === null) return ok(name, "inside the process");
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
        "Start it with `-js` and a folder for what is queued (`-sd /data`), and let this user use it.",
      );
    }
    const { streams, storageLeft } = jetStream;
    const stored = `${found}, JetStream with ${streams} streams`;
    if (storageLeft !== null && storageLeft < LITTLE_STORAGE) {
      return bad(name, `${stored}, ${storageLeft} bytes left`, "Raise max_storage of its account.");
    }
    return unencrypted(name, natsUrl.split(",")[0] ?? natsUrl, stored, encrypted);
  } catch (error) {
    return unreachablePart(name, "NATS_URL", natsUrl, error);
  }
};

/** The mail server, where the settings name one. Nothing is sent. */
export const checkMail = async ({ smtpUrl, mailFrom, mailFolder }: Config): Promise<Finding> => {
  const name = "mail";
  if (smtpUrl === null) {
    return note(
      name,
      `kept in ${mailFolder}: nobody gets any`,
      "Set SMTP_URL and MAIL_FROM, so that people can verify their addresses and set new passwords.",
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
