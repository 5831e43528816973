import { type ConnectionFailure, diagnoseConnection } from "./connectionFailure.ts";
import { SettingError } from "./settingError.ts";

/** The settings with the address of a server. */
export type PartSetting = "EVENTSTORE_URL" | "DATABASE_URL" | "NATS_URL" | "SMTP_URL";

type Advice = Readonly<
  Record<"title" | Exclude<ConnectionFailure["kind"], "unclear" | "file" | "database">, string>
>;

const ESCAPES = "write characters such as @ : / in them as %40 %3A %2F";

const advice: Readonly<Record<PartSetting, Advice>> = {
  EVENTSTORE_URL: {
    title: "event log",
    absent: "Start an EventStoreDB there, or unset EVENTSTORE_URL for the embedded one.",
    credentials: `Check user and password in EVENTSTORE_URL (esdb://user:password@host:2113?tls=true; ${ESCAPES}), and the permissions of the user.`,
    certificate:
      "Set its certificate authority, tlsCAFile=/path/ca.crt in EVENTSTORE_URL, and use the host name of the certificate.",
    tls: "In EVENTSTORE_URL, use tls=true for a server with TLS and tls=false for one without.",
  },
  DATABASE_URL: {
    title: "PostgreSQL",
    absent: "Start it, or unset DATABASE_URL for the embedded one.",
    credentials: `Check user and password in DATABASE_URL (${ESCAPES}), and pg_hba.conf of the server.`,
    certificate:
      "Set its certificate authority, sslrootcert=/path/ca.crt in DATABASE_URL, and use the host name of the certificate.",
    tls: "In DATABASE_URL, use sslmode=verify-full for a server with TLS and sslmode=disable for one without.",
  },
  NATS_URL: {
    title: "NATS server",
    absent: "Start one (`nats-server -js`), or unset NATS_URL for the in-process bus.",
    credentials: `Check NATS_URL: nats://user:password@host, nats://token@host or nats://host?credsFile=/path/user.creds (${ESCAPES}).`,
    certificate:
      "Set its certificate authority, tlsCAFile=/path/ca.crt in NATS_URL, and use the host name of the certificate.",
    tls: "In NATS_URL, use tls://host for a server with TLS, with userCertFile and userKeyFile if it requires a client certificate.",
  },
  SMTP_URL: {
    title: "mail server",
    absent: "Check host and port: 465 for smtps://, 587 for smtp://.",
    credentials: `Check user and password in SMTP_URL (${ESCAPES}).`,
    certificate:
      "Set its certificate authority, tlsCAFile=/path/ca.crt in SMTP_URL, and use the host name of the certificate.",
    tls: "Use smtps:// for a port with implicit TLS (465) and smtp:// for one with STARTTLS (587).",
  },
};

/** The cause of a failed connection to the server of a setting, and what to do about it. */
export type SettingFailure = ConnectionFailure & {
  /** A sentence with the setting and the address. Holds no secret. */
  readonly what: string;
  /** What to do; null if unknown. */
  readonly advice: string | null;
};

/** Finds the cause of a failed connection to the server of a setting. `where` is its address without credentials. */
export const diagnoseSetting = (
  setting: PartSetting,
  where: string,
  error: unknown,
): SettingFailure => {
  const trouble = diagnoseConnection(error);
  const words = advice[setting];
  const { kind, why } = trouble;
  const at = `${setting} (${where})`;
  const what =
    kind === "file"
      ? `${at} cannot be used: ${why}.`
      : kind === "absent"
        ? `No ${words.title} answers at ${at}: ${why}.`
        : kind === "credentials" || kind === "database" || kind === "unclear"
          ? `The ${words.title} at ${at} refuses the service: ${why}.`
          : `The ${words.title} at ${at} cannot be connected to: ${why}.`;
  return {
    ...trouble,
    what,
    advice:
      kind === "unclear"
        ? null
        : kind === "file"
          ? "Make it readable for the account of the service, or set another path."
          : kind === "database"
            ? "Create it (CREATE DATABASE) or name another after the host: postgres://user:password@host:5432/runledger. The default is the user's name."
            : words[kind],
  };
};

/** Converts a diagnosis to the error that ends a start. */
export const settingError = (
  setting: PartSetting,
  where: string,
  cause: unknown,
  trouble: SettingFailure = diagnoseSetting(setting, where, cause),
): SettingError =>
  new SettingError(
    trouble.advice === null ? trouble.what : `${trouble.what} ${trouble.advice}`,
    cause,
  );
