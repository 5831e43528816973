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
/** The oldest that is compared with (README.md). */
const OLDEST_MAJOR = 15;
/** What one process opens at most: its pool, the event log's, and what listens. */
const CONNECTIONS_OF_A_PROCESS = 40;
/** Leases and tokens last seconds: clocks that are further apart than this are in their way. */
const APART_MS = 1_000;
const FAR_APART_MS = 30_000;

/** The database of the settings, or the embedded one where it runs; and whether the master key is the one that it was sealed with. */
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
    const where = config.databaseUrl === null ? "embedded, runs" : `at ${addressOf(url)}`;
    return [...judge(found, where), clock(found), ...(await sealed(database, masterKey))];
  } catch (error) {
    return [unreachablePart(NAME, "DATABASE_URL", url, error)];
  } finally {
    await database.close();
  }
};

/** The embedded database: where it is while it runs, else whether it could. */
const embedded = async (dataDir: string): Promise<{ readonly url: string } | Finding> => {
  try {
    const found = await findEmbeddedPostgres(dataDir);
    if (typeof found === "object") return found;
    const version = await embeddedPostgresVersion();
    return ok(
      NAME,
      `embedded, PostgreSQL ${version}, ${found === "none" ? "made at the first start" : "starts with the service"}`,
    );
  } catch (error) {
    return bad(NAME, messageOf(error), "Or set DATABASE_URL to a PostgreSQL of your own.");
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
    const advice = "Make the database anew: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.";
    findings.push(bad(NAME, `its encoding is ${found.encoding}`, advice));
  }
  for (const name of EXTENSIONS) {
    if (extensions[name] === "absent") {
      const advice = "Install PostgreSQL's contrib package on its machine.";
      findings.push(bad(NAME, `it has no extension ${name}`, advice));
    }
  }
  const isNew =
    migrations.pending.length > 0 || EXTENSIONS.some((each) => extensions[each] !== "installed");
  if (!found.mayCreate) {
    const advice =
      "GRANT CREATE ON DATABASE, and on its schema public, to the user of DATABASE_URL.";
    findings.push(bad(NAME, "its user may not make tables", advice));
  }
  if (migrations.unknown.length > 0) {
    findings.push(
      note(
        "migrations",
        `${migrations.unknown.join(", ")} ${migrations.unknown.length === 1 ? "is" : "are"} not known here`,
        "A newer release has used this database: go on with that one.",
      ),
    );
  } else if (isNew) {
    const { applied, pending } = migrations;
    findings.push(ok("migrations", `${applied} applied, ${pending.length} more at the next start`));
  } else findings.push(ok("migrations", `${migrations.applied} applied, none waits`));
  if (!found.durable) {
    const advice =
      "Set fsync and synchronous_commit to on: else a machine that fails takes answers back.";
    findings.push(bad(NAME, "it does not wait for the disk", advice));
  }
  const left = connections.most - connections.open;
  if (left < CONNECTIONS_OF_A_PROCESS) {
    findings.push(
      note(
        NAME,
        `${connections.open} of ${connections.most} connections are open`,
        `A process of the service may open ${CONNECTIONS_OF_A_PROCESS}: raise max_connections.`,
      ),
    );
  }
  const isWell = !findings.some(({ name }) => name === NAME);
  const tls = found.encrypted ? ", TLS" : "";
  return isWell ? [ok(NAME, `PostgreSQL ${found.version} ${where}${tls}`), ...findings] : findings;
};

const clock = ({ aheadMs }: DatabaseFound): Finding => {
  const apart = Math.abs(aheadMs);
  const found = `${new Date().toISOString()}, the database's ${apart < APART_MS ? "the same" : `${aheadMs} ms ahead`}`;
  const advice = "Let both machines follow the same time servers (chrony, systemd-timesyncd).";
  if (apart >= FAR_APART_MS) return bad("clock", found, advice);
  return apart >= APART_MS ? note("clock", found, advice) : ok("clock", found);
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
          "it does not open what this database holds",
          "Set MASTER_KEY (or master.key of the data folder) to the key that was used before: nothing else opens it.",
        ),
      ]
    : [];
};
