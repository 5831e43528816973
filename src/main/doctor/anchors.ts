import { findEmbeddedPostgres } from "../../embeddedPostgres/server.ts";
import type { Config } from "../../platform/config.ts";
import { openDatabase } from "../../platform/database/database.ts";
import { type Anchor, anchors } from "../../stores/audit/anchors.ts";
import { type Finding, note, ok } from "./finding.ts";

const NAME = "log checkpoints";
const KEEP =
  "Set AUDIT_ANCHORS, or run `runledger audit watch` on a machine that the operators of this one cannot change.";

/** Checks whether somebody outside the service holds a checkpoint of the log. */
export const checkAnchors = async (config: Config): Promise<readonly Finding[]> => {
  const { auditAnchors: places } = config;
  if (places.length === 0) {
    return [
      note(
        NAME,
        "nobody outside the service is known to hold one: whoever has the database and the master key can rewrite the log",
        KEEP,
      ),
    ];
  }
  const outside = places.filter(({ kind }) => kind !== "folder");
  const findings: Finding[] = [];
  if (outside.length === 0) {
    findings.push(note(NAME, "delivered to folders only: they help on another machine only", KEEP));
  }
  const held = await readAnchors(config);
  if (held === null) return [...findings, ok(NAME, "delivered once the service runs")];
  for (const { name } of places) {
    findings.push(judge(name, held.find(({ target }) => target === name) ?? null));
  }
  return findings;
};

const judge = (name: string, anchor: Anchor | null): Finding => {
  const holds = anchor?.size == null ? "holds none" : `holds ${anchor.size} events`;
  if (anchor?.error != null) {
    return note(
      NAME,
      `${name} ${holds}; the last delivery failed: ${anchor.error}`,
      "It is retried every 5 minutes.",
    );
  }
  return anchor?.size == null
    ? note(NAME, `${name} ${holds} yet`, "The first is delivered within a minute of the start.")
    : ok(NAME, `${name} ${holds}, since ${anchor.deliveredAt}`);
};

/** The recorded deliveries; null if the database is not running or is older. */
const readAnchors = async (config: Config): Promise<readonly Anchor[] | null> => {
  const found =
    config.databaseUrl ?? (await findEmbeddedPostgres(config.dataDir).catch(() => "none"));
  const url = typeof found === "object" ? found.url : found;
  if (url === "none" || url === "stopped") return null;
  const database = openDatabase(url, { max: 1 });
  try {
    return await anchors(database.db).list();
  } catch {
    // The check of the database reports why.
    return null;
  } finally {
    await database.close();
  }
};
