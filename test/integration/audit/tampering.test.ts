import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Checkpoint, parseCheckpoint } from "../../../src/domain/audit/tree/checkpoint.ts";
import { describeLogFinding } from "../../../src/domain/audit/tree/comparison.ts";
import { readNote } from "../../../src/domain/audit/tree/note.ts";
import { successionOf } from "../../../src/domain/audit/tree/succession.ts";
import { sha256Bytes, verifyEd25519 } from "../../../src/platform/signatures.ts";
import { treeProofs } from "../../../src/stores/audit/proofs.ts";
import type { TreeState } from "../../../src/stores/audit/tree.ts";
import { type AuditKit, startAuditKit } from "../../support/auditKit.ts";
import { eventually } from "../../support/client.ts";

const EVENTS = 600;

/** Changes of the table of events, which a program with access to the database could make. */
const tamperings: readonly {
  readonly name: string;
  readonly sql: readonly string[];
  readonly found: RegExp;
}[] = [
  {
    name: "one byte of an event's data",
    sql: [
      "update eventstore.events set data = set_byte(data, 10, get_byte(data, 10) # 1) where position = 301",
    ],
    found: /^Counted [\w-]+, revision 0 of counter-b was altered in its data \(leaf 300\)\.$/,
  },
  {
    name: "the metadata of an event in the incomplete tile",
    sql: ["update eventstore.events set metadata = metadata || ' '::bytea where position = 590"],
    found: /revision 289 of counter-b was altered in its metadata \(leaf 589\)/,
  },
  {
    name: "the type and the id of an event",
    sql: [
      "update eventstore.events set type = 'Miscounted', id = gen_random_uuid() where position = 2",
    ],
    found: /^Miscounted .* revision 1 of counter-a was altered in its type and id \(leaf 1\)/,
  },
  {
    name: "the stream of an event",
    sql: ["update eventstore.events set stream = 'counter-c' where position = 600"],
    found: /of counter-c was altered in its stream \(leaf 599\)/,
  },
  {
    name: "an event removed",
    sql: ["delete from eventstore.events where position = 100"],
    found: /^An event was removed before Counted .* revision 100 of counter-a \(from leaf 99\)/,
  },
  {
    name: "an event removed and the others moved up",
    sql: [
      "delete from eventstore.events where position = 256",
      "update eventstore.events set position = -position where position > 256",
      "update eventstore.events set position = -position - 1 where position < 0",
    ],
    found: /^An event was removed before .* revision 256 of counter-a \(from leaf 255\)/,
  },
  {
    name: "two events swapped",
    sql: [
      "update eventstore.events set position = -1 where position = 20",
      "update eventstore.events set position = 20 where position = 270",
      "update eventstore.events set position = 270 where position = -1",
    ],
    found: /revision 19 of counter-a and Counted .* revision 269 of counter-a were swapped/,
  },
  {
    name: "the end of the log cut off",
    sql: ["delete from eventstore.events where position > 590"],
    found: /^The log ends after Counted .* revision 289 of counter-b: 10 events were removed/,
  },
  {
    name: "a tile of the tree in the database",
    sql: ["update audit_tree_edges set hashes = set_byte(hashes, 3, 1) where level = 0"],
    found: /^The tree was altered: its hashes do not lead to its root\.$/,
  },
];

describe("changes of the log behind the service's back", () => {
  let kit: AuditKit;
  beforeAll(async () => {
    kit = await startAuditKit();
    const builder = kit.build();
    await kit.append("counter-a", 300);
    await kit.append("counter-b", 300);
    await kit.sealed(EVENTS);
    await builder.stop();
  });
  afterAll(() => kit?.stop());

  it("are absent in an untouched log", async () => {
    expect(await kit.verify()).toEqual({ size: EVENTS, finding: null });
  });

  it.each(tamperings)("are found and named: $name", async ({ sql, found }) => {
    await kit.pool.query("create table kept_events as table eventstore.events");
    await kit.pool.query("create table kept_edges as table audit_tree_edges");
    try {
      for (const statement of sql) await kit.pool.query(statement);
      const { finding } = await kit.verify();
      expect(finding && describeLogFinding(finding)).toMatch(found);
    } finally {
      await kit.pool.query("truncate eventstore.events, audit_tree_edges");
      await kit.pool.query("insert into eventstore.events select * from kept_events");
      await kit.pool.query("insert into audit_tree_edges select * from kept_edges");
      await kit.pool.query("drop table kept_events, kept_edges");
    }
    expect((await kit.verify()).finding).toBeNull();
  });

  it("are found and named: a tile in the blob store", async () => {
    const hashes = await kit.tiles.read(0, 1);
    if (!hashes) throw new Error("the tile is missing");
    const altered = Uint8Array.from(hashes);
    altered[40] = (altered[40] ?? 0) ^ 1;
    await kit.tiles.write({ level: 0, index: 1, hashes: altered });
    const { finding } = await kit.verify();
    expect(finding).toEqual({ kind: "tree", why: "its tiles do not lead to the signed root" });
    await kit.tiles.write({ level: 0, index: 1, hashes });
    expect((await kit.verify()).finding).toBeNull();
  });

  it("with the key of the service are found by whoever holds an older checkpoint", async () => {
    const kept = checkpointOf(await kit.tree.load());
    const rewrite = async (sql: string): Promise<void> => {
      await kit.pool.query(sql);
      await kit.pool.query("truncate audit_tree, audit_tree_edges, audit_tree_tiles");
      // A subscriber would read the changed event from the last 8,192, which the server keeps in memory.
      await kit.append("counter-later", 9_000);
      const builder = kit.build();
      await eventually(
        () => kit.tree.load(),
        ({ size, checkpoint }) => size >= kept.size && checkpoint !== null,
      );
      await builder.stop();
    };
    await rewrite("update eventstore.events set type = 'Miscounted' where position = 590");
    expect((await kit.verify()).finding).toBeNull();
    const state = await kit.tree.load();
    const proof = await treeProofs(kit, state).consistency(kept.size);
    expect(successionOf(kept, checkpointOf(state), proof, sha256Bytes)).toEqual({
      outcome: "forked",
    });
  });

  const checkpointOf = ({ checkpoint: note }: TreeState): Checkpoint => {
    const crypto = { sha256: sha256Bytes, verify: verifyEd25519 };
    const read = readNote(note ?? "", kit.signer.key, crypto);
    const checkpoint = read.outcome === "signed" ? parseCheckpoint(read.text) : null;
    if (!checkpoint) throw new Error("the checkpoint is not signed");
    return checkpoint;
  };
});
