import { type Kysely, sql } from "kysely";
import type { Remark } from "../../domain/audit/tree/checkpoint.ts";
import { emptyRoot, equalHashes, HASH_BYTES, type Tree } from "../../domain/audit/tree/merkle.ts";
import { type Edge, rootOfEdge, TILE_WIDTH } from "../../domain/audit/tree/tiles.ts";
import { sha256Bytes } from "../../platform/signatures.ts";
import { decodeRemarks, encodeRemarks } from "./remarks.ts";

export type AuditTreeTables = {
  audit_tree: {
    id: number;
    size: bigint;
    position: bigint | null;
    root: Uint8Array;
    remarks: string;
    checkpoint: string | null;
    signed_at: string | null;
  };
  audit_tree_edges: {
    level: number;
    hashes: Uint8Array;
    checks: Uint8Array | null;
    first_position: bigint | null;
  };
  audit_tree_tiles: { index: bigint; first_position: bigint; checks: Uint8Array };
};

/** The state of the tree. */
export type TreeState = Tree & {
  /** The position of the last leaf; null before the first one. */
  readonly position: bigint | null;
  readonly remarks: readonly Remark[];
  readonly edge: Edge;
  /** The checksums and the first position of the incomplete tile of level 0. */
  readonly pending: PendingTile;
  /** The signed note; null before the first one. */
  readonly checkpoint: string | null;
  readonly signedAt: string | null;
};

export type PendingTile = { readonly checks: Uint8Array; readonly firstPosition: bigint | null };

/** A full tile of leaves: the position of its first event, and checksums of the fields of its events. */
export type LeafTile = {
  readonly index: number;
  readonly firstPosition: bigint;
  readonly checks: Uint8Array;
};

/** The stored state of the tree contradicts itself: the database was changed by another program. */
export class TreeAlteredError extends Error {
  constructor(why: string) {
    super(`The stored tree of the event log was altered: ${why}`);
    this.name = "TreeAlteredError";
  }
}

/** Another process has extended the tree. */
export class TreeMovedError extends Error {
  constructor() {
    super("Another process has extended the tree of the event log");
    this.name = "TreeMovedError";
  }
}

const none = new Uint8Array(0);
const EMPTY: TreeState = {
  size: 0,
  root: emptyRoot(sha256Bytes),
  position: null,
  remarks: [],
  edge: [],
  pending: { checks: none, firstPosition: null },
  checkpoint: null,
  signedAt: null,
};

export type AuditTree = ReturnType<typeof auditTree>;

/** The tree of the event log. Full tiles are in the blob store, everything else is here. */
export const auditTree = (db: Kysely<AuditTreeTables>) => ({
  /** The state; an empty tree before the first checkpoint. Rejects with TreeAlteredError. */
  load: (): Promise<TreeState> => load(db),

  /** Replaces the state by a larger one. Rejects with TreeMovedError if another process was faster. */
  advance: (from: TreeState, to: TreeState, tiles: readonly LeafTile[]): Promise<void> =>
    advance(db, from, to, tiles),

  /** Adds a remark to a tree. The next checkpoint contains it. */
  addRemark: async (remark: Remark): Promise<void> => {
    const added = encodeRemarks([remark]);
    await sql`update audit_tree set remarks = remarks || ${added}::jsonb`.execute(db);
  },

  /** The full tile of leaves that contains the event at a position; null if it is in none. */
  findTile: async (position: bigint): Promise<LeafTile | null> => {
    const row = await db
      .selectFrom("audit_tree_tiles")
      .selectAll()
      .where("first_position", "<=", position)
      .orderBy("first_position", "desc")
      .limit(1)
      .executeTakeFirst();
    return row ? leafTile(row) : null;
  },

  /** A full tile of leaves by its number, null if there is none. */
  readTile: async (index: number): Promise<LeafTile | null> => {
    const row = await db
      .selectFrom("audit_tree_tiles")
      .selectAll()
      .where("index", "=", BigInt(index))
      .executeTakeFirst();
    return row ? leafTile(row) : null;
  },
});

const leafTile = (row: AuditTreeTables["audit_tree_tiles"]): LeafTile => ({
  index: Number(row.index),
  firstPosition: row.first_position,
  checks: row.checks,
});

type StoredTree = Omit<AuditTreeTables["audit_tree"], "id" | "remarks"> & {
  readonly remarks: unknown;
  readonly edge: readonly Uint8Array[];
  readonly checks: Uint8Array | null;
  readonly first_position: bigint | null;
};

/** One statement, so that all parts are of one moment. */
const load = async (db: Kysely<AuditTreeTables>): Promise<TreeState> => {
  const { rows } = await sql<StoredTree>`
    select t.size, t.position, t.root, t.remarks, t.checkpoint, t.signed_at,
      array(select hashes from audit_tree_edges order by level) as edge,
      leaves.checks, leaves.first_position
    from audit_tree as t left join audit_tree_edges as leaves on leaves.level = 0`.execute(db);
  const [row] = rows;
  if (!row) return EMPTY;
  const { edge, position, checkpoint } = row;
  const root = rootOfEdge(edge, sha256Bytes);
  const size = edge.reduce(
    (sum, { length }, level) => sum + (length / HASH_BYTES) * TILE_WIDTH ** level,
    0,
  );
  if (size !== Number(row.size) || !equalHashes(root, row.root)) {
    throw new TreeAlteredError("its hashes do not lead to its root.");
  }
  return {
    ...{ size, root, position, edge, checkpoint },
    remarks: decodeRemarks(row.remarks),
    pending: { checks: row.checks ?? none, firstPosition: row.first_position },
    signedAt: row.signed_at,
  };
};

/** One statement: either all parts change, or none. */
const advance = async (
  db: Kysely<AuditTreeTables>,
  from: TreeState,
  to: TreeState,
  tiles: readonly LeafTile[],
): Promise<void> => {
  const { size, position, remarks, checkpoint, signedAt, pending } = to;
  const levels = [...to.edge.keys()].filter((level) => from.edge[level] !== to.edge[level]);
  const hashes = levels.map((level) => Buffer.from(to.edge[level] ?? none));
  const checks = levels.map((level) => (level === 0 ? Buffer.from(pending.checks) : null));
  const firsts = levels.map((level) => (level === 0 ? textOf(pending.firstPosition) : null));
  const { rows } = await sql`
    with moved as (
      insert into audit_tree as t (id, size, position, root, remarks, checkpoint, signed_at)
      values (1, ${size}, ${textOf(position)}::bigint, ${Buffer.from(to.root)},
        ${encodeRemarks(remarks)}::jsonb, ${checkpoint}, ${signedAt}::timestamptz)
      on conflict (id) do update set size = excluded.size, position = excluded.position,
        root = excluded.root, remarks = excluded.remarks, checkpoint = excluded.checkpoint,
        signed_at = excluded.signed_at
      where t.size = ${from.size} and t.checkpoint is not distinct from ${from.checkpoint}
      returning 1
    ), edges as (
      insert into audit_tree_edges (level, hashes, checks, first_position)
      select * from unnest(${levels}::int[], ${hashes}::bytea[], ${checks}::bytea[], ${firsts}::bigint[])
      where exists (select from moved)
      on conflict (level) do update set hashes = excluded.hashes, checks = excluded.checks,
        first_position = excluded.first_position
    ), tiles as (
      insert into audit_tree_tiles (index, first_position, checks)
      select * from unnest(
        ${tiles.map(({ index }) => index)}::bigint[],
        ${tiles.map(({ firstPosition }) => String(firstPosition))}::bigint[],
        ${tiles.map((tile) => Buffer.from(tile.checks))}::bytea[]
      ) where exists (select from moved)
    )
    select 1 from moved`.execute(db);
  if (rows.length === 0) throw new TreeMovedError();
};

const textOf = (position: bigint | null): string | null =>
  position === null ? null : String(position);
