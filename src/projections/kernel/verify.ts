import { type Kysely, sql } from "kysely";
import type { EventLog } from "../../platform/eventLog/port.ts";
import { foldAround, keepAlive, type Park, type Progress } from "./applyBatch.ts";
import { compareTables, type RowDifference, type TableComparison } from "./compare.ts";
import { type EventReference, findDivergingEvent } from "./divergence.ts";
import { loadSkipped } from "./parking.ts";
import { type Projection, schemaOf } from "./projection.ts";
import { foldRange } from "./readLog.ts";
import { createTables, loadShown } from "./schemas.ts";
import type { KernelTables } from "./tables.ts";

/** A build number above those of real builds, without a checkpoint. */
const EXPECTED_BUILD = 1_000_000;

/**
 * The time limit of an idle transaction. Reads of a large log with few handled events take long, but a frozen process
 * must not hold its snapshot forever.
 */
const IDLE_TIMEOUT = "60s";

/** The result of a verification. Positions are texts, because it is stored as JSON. */
export type Verification =
  | { readonly outcome: "not_shown" }
  | {
      readonly outcome: "equal" | "differs";
      readonly version: number;
      readonly position: string | null;
      /** The number of events in the log up to the position. */
      readonly events: number;
      /** The number of events that handlers refuse: they are in neither of the two. */
      readonly refused: number;
      readonly tables: readonly TableComparison[];
      readonly first: (RowDifference & { readonly event: EventReference | null }) | null;
    };

/**
 * Compares a read model with the log: folds the log into new tables up to the shown position and compares the rows.
 * All of it happens in one repeatable-read transaction that is rolled back, so the service can write meanwhile.
 * Rejects if the log or the database is unavailable, or `over` is aborted.
 */
export const verifyProjection = async (
  deps: { readonly log: EventLog; readonly db: Kysely<KernelTables> },
  projection: Projection,
  over: AbortSignal,
): Promise<Verification> => {
  let verification: Verification = { outcome: "not_shown" };
  const rollBack = new Error("A verification is rolled back");
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
  await sql`set local idle_in_transaction_session_timeout = ${sql.lit(IDLE_TIMEOUT)}`.execute(trx);
  const [shown] = await loadShown(trx, [projection]);
  if (!shown) return { outcome: "not_shown" };
  const { position } = shown;
  const expected: Progress = { projection, build: EXPECTED_BUILD, position: null };
  await createTables(trx, projection, schemaOf(projection, EXPECTED_BUILD));
  const leaveOut = await loadSkipped(trx, shown);
  let refused = 0;
  const park: Park = async () => {
    refused += 1;
  };
  const range = { log, projection, after: null, upTo: position ?? -1n, leaveOut };
  const events = await foldRange(
    range,
    ({ events }) => (events.length > 0 ? foldAround(trx, expected, events, park) : keepAlive(trx)),
    over,
  );
  const { tables, first } = await compareTables(trx, projection, {
    live: schemaOf(projection, shown.build),
    folded: schemaOf(projection, EXPECTED_BUILD),
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
