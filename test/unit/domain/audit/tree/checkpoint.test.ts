import { createHash, createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Checkpoint,
  formatCheckpoint,
  parseCheckpoint,
} from "../../../../../src/domain/audit/tree/checkpoint.ts";
import { encodeLeaf, hashLeaf, isLeaf } from "../../../../../src/domain/audit/tree/leaf.ts";
import {
  formatKey,
  formatNote,
  parseKey,
  readNote,
} from "../../../../../src/domain/audit/tree/note.ts";

const sha256 = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest();
const asPublic = (bytes: Uint8Array) =>
  createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(bytes).toString("base64url") },
    format: "jwk",
  });
const crypto = {
  sha256,
  verify: (key: Uint8Array, message: Uint8Array, signature: Uint8Array) =>
    verify(null, message, asPublic(key), signature),
};

// The example of golang.org/x/mod/sumdb/note.
const goKey = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
const goNote =
  "If you think cryptography is the answer to your problem,\n" +
  "then you don't know what your problem is.\n\n" +
  "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

describe("a signed note", () => {
  it("written by Go's sumdb is verified, and an altered one is not", () => {
    const key = parseKey(goKey, sha256);
    if (!key) throw new Error("the key is not readable");
    expect(formatKey(key, sha256)).toBe(goKey);
    expect(readNote(goNote, key, crypto)).toMatchObject({ outcome: "signed" });
    const altered = goNote.replace("answer", "Answer");
    expect(readNote(altered, key, crypto)).toEqual({ outcome: "altered" });
    const other = { ...key, name: "someone" };
    expect(readNote(goNote, other, crypto)).toEqual({ outcome: "other_key" });
    expect(readNote("no note", key, crypto)).toEqual({ outcome: "malformed" });
    expect(parseKey(goKey.replace("c74f20a3", "c74f20a4"), sha256)).toBeNull();
  });

  it("is read back with the signatures of witnesses after it", () => {
    const seed = Buffer.alloc(32, 7);
    const prefix = Buffer.from("302e020100300506032b657004220420", "hex");
    const secret = createPrivateKey({
      key: Buffer.concat([prefix, seed]),
      format: "der",
      type: "pkcs8",
    });
    const raw = createPublicKey(secret).export({ format: "jwk" }).x as string;
    const key = { name: "log", publicKey: Buffer.from(raw, "base64url") };
    const text = "log\n3\n";
    const note = formatNote(text, key, sign(null, Buffer.from(text), secret), sha256);
    const cosigned = `${note}— witness AAAAAAAA\n`;
    expect(readNote(cosigned, key, crypto)).toEqual({ outcome: "signed", text });
  });
});

describe("a checkpoint", () => {
  it("keeps its tree and its remarks", () => {
    const root = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes) => Uint8Array.from(bytes));
    const at = fc.constant("2026-03-01T00:00:00.000Z");
    const size = fc.nat({ max: Number.MAX_SAFE_INTEGER });
    const remark = fc.oneof(
      fc.record({ kind: fc.constant("adopted" as const), size, at }),
      fc.record({ kind: fc.constant("restored" as const), size, root, at, backup: fc.uuid() }),
    );
    const checkpoint = fc.record({
      origin: fc.constant("runledger/log/0011223344556677"),
      ...{ size, root },
      remarks: fc.array(remark, { maxLength: 4 }),
    });
    fc.assert(
      fc.property(checkpoint, (one: Checkpoint) => {
        expect(parseCheckpoint(formatCheckpoint(one))).toEqual(one);
      }),
    );
  });

  it.each([
    ["no size", "log\n\nAAAA\n"],
    ["a size with a leading zero", `log\n03\n${"A".repeat(43)}=\n`],
    ["a root that is too short", "log\n3\nAAAA\n"],
    ["no last line feed", `log\n3\n${"A".repeat(43)}=`],
  ])("with %s is malformed", (_, text) => {
    expect(parseCheckpoint(text)).toBeNull();
  });
});

describe("a leaf", () => {
  const event = {
    stream: "plan-é",
    revision: 258n,
    type: "PlanStarted",
    id: "0199c2a0-7b1e-7c3a-9d4e-1f2a3b4c5d6e",
    isJson: true,
    data: Buffer.from('{"a":1}'),
    metadata: Buffer.alloc(0),
  };

  it("has the documented bytes", () => {
    const hex =
      "72756e6c65646765722d6576656e742f310a" +
      "00000007706c616e2dc3a9" +
      "00000003323538" +
      "0000000b506c616e53746172746564" +
      "000000106170706c69636174696f6e2f6a736f6e" +
      "0000002430313939633261302d376231652d376333612d396434652d316632613362346335643665" +
      "000000077b2261223a317d" +
      "00000000";
    expect(Buffer.from(encodeLeaf(event)).toString("hex")).toBe(hex);
    const expected = sha256(Buffer.from(`00${hex}`, "hex"));
    expect(Buffer.from(hashLeaf(event, sha256))).toEqual(Buffer.from(expected));
  });

  it("differs when bytes move from one field to the next", () => {
    const moved = { ...event, data: Buffer.from('{"a":1'), metadata: Buffer.from("}") };
    expect(hashLeaf(moved, sha256)).not.toEqual(hashLeaf(event, sha256));
  });

  it("is every event but those of the system", () => {
    expect(isLeaf(event)).toBe(true);
    expect(isLeaf({ ...event, stream: "$$plan-1" })).toBe(false);
    expect(isLeaf({ ...event, type: "$metadata" })).toBe(false);
  });
});
