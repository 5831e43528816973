import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseCheckpoint } from "../../../src/domain/audit/tree/checkpoint.ts";
import { hashLeaf, isLeaf } from "../../../src/domain/audit/tree/leaf.ts";
import { readNote } from "../../../src/domain/audit/tree/note.ts";
import { appendLeaves, rootOfEdge } from "../../../src/domain/audit/tree/tiles.ts";
import { sha256Bytes, verifyEd25519 } from "../../../src/platform/signatures.ts";
import { TreeMovedError } from "../../../src/stores/audit/tree.ts";
import { type AuditKit, startAuditKit } from "../../support/auditKit.ts";
import { eventually } from "../../support/client.ts";

describe("the tree of the event log", () => {
  let kit: AuditKit;
  beforeAll(async () => {
    kit = await startAuditKit();
    await kit.append("counter-older", 300);
  });
  afterAll(() => kit?.stop());

  /** The root of the log as it is now, computed at once. */
  const rootOfLog = async (): Promise<Uint8Array> => {
    const leaves: Uint8Array[] = [];
    for await (const event of kit.raw.readAll({ after: null })) {
      if (isLeaf(event)) leaves.push(hashLeaf(event, sha256Bytes));
    }
    return rootOfEdge(appendLeaves({ size: 0, edge: [] }, leaves, sha256Bytes).edge, sha256Bytes);
  };
  const checkpoint = async () => {
    const { checkpoint: note } = await kit.tree.load();
    const read = readNote(note ?? "", kit.signer.key, {
      sha256: sha256Bytes,
      verify: verifyEd25519,
    });
    return read.outcome === "signed" ? parseCheckpoint(read.text) : null;
  };

  it("takes in older events under a first checkpoint that says so", async () => {
    const builder = kit.build();
    await kit.sealed(300);
    await builder.stop();
    const first = await checkpoint();
    expect(first).toMatchObject({ size: 300, remarks: [{ kind: "adopted", size: 300 }] });
    expect(first?.root).toEqual(new Uint8Array(await rootOfLog()));
  });

  it("is the same after a restart at any point, and with two builders at once", async () => {
    for (const count of [1, 211, 1, 255, 30]) {
      const [one, other] = [kit.build(), kit.build()];
      const { size } = await kit.tree.load();
      await kit.append("counter-newer", count, 40);
      await kit.sealed(size + count);
      await Promise.all([one.stop(), other.stop()]);
      const signed = await checkpoint();
      expect(signed?.size).toBe(size + count);
      expect(Buffer.from(signed?.root ?? [])).toEqual(Buffer.from(await rootOfLog()));
    }
    expect(await kit.verify()).toEqual({ size: 798, finding: null });
  });

  it("refuses a second extension of the same state", async () => {
    const from = await kit.tree.load();
    const extend = async (event: string): Promise<void> => {
      const leaf = sha256Bytes(Buffer.from(event));
      const { size, edge } = appendLeaves(from, [leaf], sha256Bytes);
      const root = rootOfEdge(edge, sha256Bytes);
      const note = kit.signer.sign({ size, root, remarks: from.remarks });
      await kit.tree.advance(from, { ...from, size, edge, root, checkpoint: note }, []);
    };
    const outcomes = await Promise.allSettled([extend("one"), extend("other")]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const rejected = outcomes.find((outcome) => outcome.status === "rejected");
    expect(rejected?.reason).toBeInstanceOf(TreeMovedError);
    // Back to the tree of the log.
    await kit.tree.advance(await kit.tree.load(), from, []);
  });

  it("signs remarks without new events", async () => {
    const { size, root } = await kit.tree.load();
    const at = "2026-03-01T00:00:00.000Z";
    await kit.tree.addRemark({
      kind: "restored",
      size,
      root: Uint8Array.from(root),
      at,
      backup: "b1",
    });
    const builder = kit.build();
    await eventually(checkpoint, (signed) => signed?.remarks.length === 2);
    await builder.stop();
    expect((await checkpoint())?.remarks[1]).toMatchObject({
      kind: "restored",
      size,
      backup: "b1",
    });
  });

  it("does not continue a log whose end was cut off", async () => {
    const { size, checkpoint: before } = await kit.tree.load();
    await kit.pool.query("delete from eventstore.events where position > 790");
    const builder = kit.build();
    await eventually(
      () => kit.db.selectFrom("leaderships").selectAll().where("name", "=", "audit-tree").execute(),
      (held) => held.length === 1,
    );
    await builder.stop();
    const { finding } = await kit.verify();
    expect(finding).toMatchObject({ kind: "cut", count: size - 790 });
    expect((await kit.tree.load()).checkpoint).toBe(before);
  });
});
