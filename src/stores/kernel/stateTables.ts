import { EVENT_INDEX_CHECKPOINT } from "../inspection/eventIndex.ts";

/**
 * Tables that nothing could make again, in an order in which they can be filled: a backup holds all of their rows.
 * Every table of the migrations is here or among those made anew; a test sees to it.
 */
export const backedUpTables: readonly string[] = [
  "persons",
  "password_hashes",
  "external_identities",
  "refresh_families",
  "refresh_tokens",
  "identity_tokens",
  "oauth_flows",
  "byo_keys",
  "signing_keys",
  "api_key_hashes",
  "sign_in_refusals",
  "sign_in_attempts",
  "outbox",
  "noted_mails",
  "idempotency_keys",
  "invite_addresses",
  "contact_addresses",
  "notification_addresses",
  "schedule_slots",
  "schedule_recipients",
  "environment_secrets",
  "webhook_bodies",
  "imports",
  "import_items",
  "pending_reports",
  "step_fingerprints",
  // What is under way: the log has it too, but nobody reads it from there again.
  "dispatch_queue",
  "execution_leases",
  "pending_reservations",
  // How far each reactor has come, and what it could not handle: begun again, everything would be done twice.
  "reactor_checkpoints",
  "parked_events",
];

/** Tables that are made again, from the log or by the processes that live, and stand in no backup. */
export const rebuiltTables: readonly string[] = [
  // Read models, and what is asked about them.
  "projection_checkpoints",
  "projection_verifications",
  // The index of the log that support searches.
  "event_index",
  "event_index_streams",
  "event_index_aliases",
  // Who is there at this moment.
  "leaderships",
  "executor_slots",
  "connected_agents",
  // What the tables themselves are like.
  "migrations",
  "migrations_lock",
];

/** Columns of tables in a backup that hold positions of the log: another log has others. */
export const positionColumns: readonly { readonly table: string; readonly column: string }[] = [
  { table: "dispatch_queue", column: "position" },
  { table: "reactor_checkpoints", column: "position" },
  { table: "parked_events", column: "position" },
];

/** Checkpoints of reactors whose tables are made anew: they begin again with the log. */
export const rebuiltCheckpoints: readonly string[] = [EVENT_INDEX_CHECKPOINT];
