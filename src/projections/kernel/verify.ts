import { type Kysely, sql } from "kysely";
import type { EventLog } from "../../platform/eventLog/port.ts";
import { foldAround, type Park, type Progress, stayIn } from "./applyBatch.ts";
import { compareTables, type RowDifference, type TableComparison } from "./compare.ts";
import { type EventReference, findDivergingEvent } from "./divergence.ts";
import { loadSkipped } from "./parking.ts";
import { type Projection, schemaOf } from "./projection.ts";
import { foldRange } from "./readLog.ts";
import { createTables, loadShown } from "./schemas.ts";
import type { KernelTables } from "./tables.ts";

/** A build number that no real build has: what is folded aside is in no checkpoint. */
const ASIDE = 1_000_000;

/**
 * How long the transaction may wait for the log. A log of millions of which a read model handles a few has nothing for it
 * for minutes, and a busy machine stands still; a process that is frozen must still not keep its moment for ever.
 */
const PATIENCE = "60s";

/** What a verification came to. Positions are texts: it is kept and answered as JSON. */
export type Verification =
  | { readonly outcome: "not_shown" }
  | {
      readonly outcome: "equal" | "differs";
      readonly version: number;
      readonly position: string | null;
      /** Events of the log up to the position, handled or not. */
      readonly events: number;
      /** Events that cannot be folded today, and are in neither. */
      readonly refused: number;
      readonly tables: readonly TableComparison[];
      readonly first: (RowDifference & { readonly event: EventReference | null }) | null;
    };

/**
 * Compares a read model with the log: folds the log aside up to the position that is shown and compares
 * the rows. All of it is one transaction that sees one moment and is rolled back in the end, so the
 * service goes on writing meanwhile and nothing is left behind. Rejects when the log or the database is
 * away, and when `over` is aborted.
 */
export const verifyProjection = async (
  deps: { readonly log: EventLog; readonly db: Kysely<KernelTables> },
  projection: Projection,
  over: AbortSignal,
): Promise<Verification> => {
  let verification: Verification = { outcome: "not_shown" };
  const rollBack = new Error("Nothing of a verification is kept");
  try {
    await deps.db
      .transaction()
      .setIsolationLevel("repeatable read")
      .execute(async (trx) => {
        verification = await verifyWithin(trx, deps.log, projection, over);
        throw rollBack;
      });
  } catch (error) {
    if (error !== rollBack) throw error;
  }
  return verification;
};

const verifyWithin = async (
  trx: Kysely<KernelTables>,
  log: EventLog,
  projection: Projection,
  over: AbortSignal,
): Promise<Verification> => {
  await sql`set local idle_in_transaction_session_timeout = ${sql.lit(PATIENCE)}`.execute(trx);
  const [shown] = await loadShown(trx, [projection]);
  if (!shown) return { outcome: "not_shown" };
  const { position } = shown;
  const aside: Progress = { projection, build: ASIDE, position: null };
  await createTables(trx, projection, schemaOf(projection, ASIDE));
  const leaveOut = await loadSkipped(trx, shown);
  let refused = 0;
  const park: Park = async () => {
    refused += 1;
  };
  const range = { log, projection, after: null, upTo: position ?? -1n, leaveOut };
  const events = await foldRange(
    range,
    ({ events }) => (events.length > 0 ? foldAround(trx, aside, events, park) : stayIn(trx)),
    over,
  );
  const { tables, first } = await compareTables(trx, projection, {
    live: schemaOf(projection, shown.build),
    folded: schemaOf(projection, ASIDE),
  });
  return {
    outcome: first === null ? "equal" : "differs",
    version: projection.version,
    position: position === null ? null : String(position),
    events,
    refused,
    tables,
    first: first && { ...first.named, event: await findDivergingEvent(trx, range, first, over) },
  };
};
