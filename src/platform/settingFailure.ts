import { type ConnectionFailure, diagnoseConnection } from "./connectionFailure.ts";
import { SettingError } from "./settingError.ts";

/** The settings that name a part elsewhere. */
export type PartSetting = "EVENTSTORE_URL" | "DATABASE_URL" | "NATS_URL" | "SMTP_URL";

type Advice = Readonly<
  Record<"title" | Exclude<ConnectionFailure["kind"], "unclear" | "file" | "database">, string>
>;

const SIGNS = "signs such as @ : / in them are written %40 %3A %2F";

const advice: Readonly<Record<PartSetting, Advice>> = {
  EVENTSTORE_URL: {
    title: "event log",
    absent: "Start an EventStoreDB there, or unset EVENTSTORE_URL for the embedded one.",
    credentials: `Check user and password in EVENTSTORE_URL (esdb://user:password@host:2113?tls=true; ${SIGNS}), and that the user may read and write.`,
    certificate:
      "Name the authority that signed it, tlsCAFile=/path/ca.crt in EVENTSTORE_URL, and the host as the certificate does.",
    tls: "In EVENTSTORE_URL, tls=true is for a server with TLS and tls=false for one without.",
  },
  DATABASE_URL: {
    title: "PostgreSQL",
    absent: "Start it, or unset DATABASE_URL for the embedded one.",
    credentials: `Check user and password in DATABASE_URL (${SIGNS}), and pg_hba.conf of the server.`,
    certificate:
      "Name the authority that signed it, sslrootcert=/path/ca.crt in DATABASE_URL, and the host as the certificate does.",
    tls: "In DATABASE_URL, sslmode=verify-full asks for TLS and sslmode=disable for none.",
  },
  NATS_URL: {
    title: "NATS server",
    absent: "Start one (`nats-server -js`), or unset NATS_URL for the bus inside the process.",
    credentials: `Check NATS_URL: nats://user:password@host, nats://token@host or nats://host?credsFile=/path/user.creds (${SIGNS}).`,
    certificate:
      "Name the authority that signed it, tlsCAFile=/path/ca.crt in NATS_URL, and the host as the certificate does.",
    tls: "In NATS_URL, tls://host is for a server with TLS; one that asks for a certificate gets userCertFile and userKeyFile.",
  },
  SMTP_URL: {
    title: "mail server",
    absent: "Check host and port: 465 for smtps://, 587 for smtp://.",
    credentials: `Check user and password in SMTP_URL (${SIGNS}).`,
    certificate:
      "Name the authority that signed it, tlsCAFile=/path/ca.crt in SMTP_URL, and the host as the certificate does.",
    tls: "smtps:// is for a port with TLS from the first byte (465), smtp:// for one with STARTTLS (587).",
  },
};

/** Why the part of a setting cannot be had, and what to do about it. */
export type SettingFailure = ConnectionFailure & {
  /** A sentence, with the setting and the address. Holds no secret. */
  readonly what: string;
  /** What to do; null where nobody can say. */
  readonly advice: string | null;
};

/** Says of an error why the part that a setting names cannot be had. `where` is its address without credentials. */
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
          ? "Put it there, readable for the account of the service, or name another."
          : kind === "database"
            ? "Make it (CREATE DATABASE), or name another: it stands behind the host, postgres://user:password@host:5432/runledger; without one it is called as the user."
            : words[kind],
  };
};

/** The same as the error that ends a start. */
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
