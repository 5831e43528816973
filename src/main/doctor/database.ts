import { embeddedPostgresVersion } from "../../embeddedPostgres/install.ts";
import { findEmbeddedPostgres } from "../../embeddedPostgres/server.ts";
import type { Config } from "../../platform/config.ts";
import { addressOf } from "../../platform/credentials.ts";
import { type Database, openDatabase } from "../../platform/database/database.ts";
import {
  type DatabaseFound,
  EXTENSIONS,
  inspectDatabase,
} from "../../platform/database/inspectDatabase.ts";
import { isMasterKeyOf } from "../../stores/identity/signingKeys.ts";
import { bad, type Finding, messageOf, note, ok } from "./finding.ts";
import { unreachablePart } from "./parts.ts";

const NAME = "database";
/** The oldest supported PostgreSQL. */
const OLDEST_MAJOR = 15;
/** The connections of one process: its pool, the pool of the event log, and listeners. */
const CONNECTIONS_OF_A_PROCESS = 40;
/** Clock skew that disturbs leases and tokens, which last seconds. */
const SKEW_MS = 1_000;
const HIGH_SKEW_MS = 30_000;

/** Checks the database of the settings, or the running embedded one, its clock, and whether the master key matches it. */
export const checkDatabase = async (
  config: Config,
  masterKey: Buffer | null,
): Promise<readonly Finding[]> => {
  const running =
    config.databaseUrl === null ? await embedded(config.dataDir) : { url: config.databaseUrl };
  if (!("url" in running)) return [running];
  const { url } = running;
  const database = openDatabase(url, { max: 1 });
  try {
    const found = await inspectDatabase(database.db);
    const where = config.databaseUrl === null ? "embedded, running" : `at ${addressOf(url)}`;
    return [...judge(found, where), clock(found), ...(await sealed(database, masterKey))];
  } catch (error) {
    return [unreachablePart(NAME, "DATABASE_URL", url, error)];
  } finally {
    await database.close();
  }
};

/** The URL of the running embedded database; else a finding on whether it can start. */
const embedded = async (dataDir: string): Promise<{ readonly url: string } | Finding> => {
  try {
    const found = await findEmbeddedPostgres(dataDir);
    if (typeof found === "object") return found;
    const version = await embeddedPostgresVersion();
    return ok(
      NAME,
      `embedded, PostgreSQL ${version}, ${found === "none" ? "created at the first start" : "starts with the service"}`,
    );
  } catch (error) {
    return bad(NAME, messageOf(error), "Or set DATABASE_URL to an external PostgreSQL.");
  }
};

const judge = (found: DatabaseFound, where: string): readonly Finding[] => {
  const { connections, extensions, migrations } = found;
  const findings: Finding[] = [];
  if (found.major < OLDEST_MAJOR) {
    findings.push(
      bad(NAME, `PostgreSQL ${found.version}`, `Use PostgreSQL ${OLDEST_MAJOR} or newer.`),
    );
  }
  if (found.encoding !== "UTF8") {
    const advice = "Recreate the database: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.";
    findings.push(bad(NAME, `the encoding is ${found.encoding}`, advice));
  }
  for (const name of EXTENSIONS) {
    if (extensions[name] === "absent") {
      const advice = "Install the contrib package of PostgreSQL on the server.";
      findings.push(bad(NAME, `the extension ${name} is missing`, advice));
    }
  }
  const isNew =
    migrations.pending.length > 0 || EXTENSIONS.some((each) => extensions[each] !== "installed");
  if (!found.mayCreate) {
    const advice =
      "GRANT CREATE ON DATABASE, and on its schema public, to the user of DATABASE_URL.";
    findings.push(bad(NAME, "the user may not create tables", advice));
  }
  if (migrations.unknown.length > 0) {
    findings.push(
      note(
        "migrations",
        `${migrations.unknown.join(", ")} ${migrations.unknown.length === 1 ? "is" : "are"} unknown to this release`,
        "A newer release has used this database. Use that release.",
      ),
    );
  } else if (isNew) {
    const { applied, pending } = migrations;
    findings.push(
      ok("migrations", `${applied} applied, ${pending.length} pending until the next start`),
    );
  } else findings.push(ok("migrations", `${migrations.applied} applied, none pending`));
  if (!found.durable) {
    const advice =
      "Set fsync and synchronous_commit to on: otherwise a crash loses acknowledged writes.";
    findings.push(bad(NAME, "writes are not durable", advice));
  }
  const left = connections.most - connections.open;
  if (left < CONNECTIONS_OF_A_PROCESS) {
    findings.push(
      note(
        NAME,
        `${connections.open} of ${connections.most} connections are open`,
        `A process of the service opens up to ${CONNECTIONS_OF_A_PROCESS}. Raise max_connections.`,
      ),
    );
  }
  const isHealthy = !findings.some(({ name }) => name === NAME);
  const tls = found.encrypted ? ", TLS" : "";
  return isHealthy
    ? [ok(NAME, `PostgreSQL ${found.version} ${where}${tls}`), ...findings]
    : findings;
};

const clock = ({ aheadMs }: DatabaseFound): Finding => {
  const skew = Math.abs(aheadMs);
  const found = `${new Date().toISOString()}, the database's ${skew < SKEW_MS ? "the same" : `${aheadMs} ms ahead`}`;
  const advice =
    "Synchronize both machines with the same time servers (chrony, systemd-timesyncd).";
  if (skew >= HIGH_SKEW_MS) return bad("clock", found, advice);
  return skew >= SKEW_MS ? note("clock", found, advice) : ok("clock", found);
};

const sealed = async (
  database: Database,
  masterKey: Buffer | null,
): Promise<readonly Finding[]> => {
  const db = database.db;
  if (masterKey === null) return [];
  return (await isMasterKeyOf(db, masterKey)) === false
    ? [
        bad(
          "master key",
          "the key does not match this database",
          "Set MASTER_KEY (or master.key in the data folder) to the key that the service used before. No other key can decrypt the data.",
        ),
      ]
    : [];
};
