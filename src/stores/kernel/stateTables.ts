import { EVENT_INDEX_CHECKPOINT } from "../inspection/eventIndex.ts";

/**
 * The tables whose rows are in backups, because they cannot be rebuilt; in an order in which they can be filled. Each
 * table of the migrations is here or in `rebuiltTables` (tested).
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
  // Work in progress. It is in the log too, but is not read from there again.
  "dispatch_queue",
  "execution_leases",
  "pending_reservations",
  // Progress of reactors: without it, all reactions would be repeated.
  "reactor_checkpoints",
  "parked_events",
  // The tree of the log: its signed state must not be computed again from a log that may have been altered.
  "audit_tree",
  "audit_tree_edges",
  "audit_tree_tiles",
  "audit_anchors",
];

/** The tables that are rebuilt from the log or by running processes, and are not in backups. */
export const rebuiltTables: readonly string[] = [
  // Read models and operations on them.
  "projection_checkpoints",
  "projection_verifications",
  // The search index of the log.
  "event_index",
  "event_index_streams",
  "event_index_aliases",
  // The last verification of the log.
  "audit_verifications",
  // Running processes.
  "leaderships",
  "executor_slots",
  "connected_agents",
  // The schema itself.
  "migrations",
  "migrations_lock",
];

/** The columns with log positions: a restore to another log converts them. */
export const positionColumns: readonly { readonly table: string; readonly column: string }[] = [
  { table: "dispatch_queue", column: "position" },
  { table: "reactor_checkpoints", column: "position" },
  { table: "parked_events", column: "position" },
  { table: "audit_tree", column: "position" },
  { table: "audit_tree_edges", column: "first_position" },
  { table: "audit_tree_tiles", column: "first_position" },
];

/** The checkpoints of reactors whose tables are rebuilt: they restart with the log. */
export const rebuiltCheckpoints: readonly string[] = [EVENT_INDEX_CHECKPOINT];
