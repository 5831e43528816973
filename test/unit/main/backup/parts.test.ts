import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { blobsOfBackup, writeBlobs } from "../../../../src/main/backup/blobPack.ts";
import { decodeEventLine, encodeEventLine } from "../../../../src/main/backup/eventLines.ts";
import {
  BackupError,
  encodeManifest,
  MANIFEST,
  readManifest,
} from "../../../../src/main/backup/manifest.ts";
import { checkParts, createPartWriter } from "../../../../src/main/backup/parts.ts";
import { localBlobStore } from "../../../../src/platform/blobs/folder/store.ts";
import { PartUnavailableError } from "../../../../src/platform/partHealth.ts";
import { memoryBlobStore } from "../../../support/blobs.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "runledger-parts-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const writeOne = async () => {
  const blobs = memoryBlobStore();
  const bytes = Buffer.from("\n{}\n");
  await blobs.put("runs/1/a.jpg", { bytes, contentType: "image/jpeg" });
  await blobs.put("runs/1/empty", { bytes: Buffer.alloc(0), contentType: "text/plain" });
  const packs = createPartWriter(folder, { kind: "blobs" });
  const kept = await writeBlobs(blobs, packs);
  const rows = createPartWriter(folder, { kind: "state", table: "persons" });
  await rows.add(Buffer.from(`{"id":1}\n`));
  const manifest = encodeManifest({
    ...{ id: "0190a000-0000-7000-8000-0000000000aa", made_at: "2026-01-01T00:00:00.000Z" },
    ...{ release: "1.0.0", log: { position: null, events: 0 }, migrations: ["001-kernel"] },
    ...{ rows: { persons: 1 }, blobs: kept, master_key_check: "aa" },
    parts: [...(await packs.end()), ...(await rows.end())],
  });
  await writeFile(path.join(folder, MANIFEST), manifest);
  return { bytes, manifest };
};

const refusal = async (): Promise<string> => {
  try {
    await checkParts(folder, await readManifest(folder));
  } catch (error) {
    expect(error).toBeInstanceOf(BackupError);
    return (error as Error).message;
  }
  return "whole";
};

describe("the parts of a backup", () => {
  it("encodes and decodes any event without loss", () => {
    const event = fc.record({
      position: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
      stream: fc.string(),
      revision: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
      id: fc.uuid(),
      type: fc.string({ unit: "binary" }),
      isJson: fc.boolean(),
      created: fc.bigInt({ min: 0n }).map(String),
      data: fc.oneof(
        fc.uint8Array(),
        fc.json().map((text) => new Uint8Array(Buffer.from(text))),
      ),
      metadata: fc.uint8Array(),
    });
    fc.assert(
      fc.property(event, (one) => {
        const line = encodeEventLine(one).toString("utf8");
        expect(line.indexOf("\n")).toBe(line.length - 1);
        const read = decodeEventLine(line);
        expect({ ...read, data: [...read.data], metadata: [...read.metadata] }).toEqual({
          ...one,
          data: [...one.data],
          metadata: [...one.metadata],
        });
      }),
    );
  });

  it("restricts a backup to its owner and returns blobs unchanged", async () => {
    const { bytes } = await writeOne();
    expect(await refusal()).toBe("whole");
    const files = await readdir(folder);
    for (const file of files.filter((name) => name !== MANIFEST)) {
      expect((await stat(path.join(folder, file))).mode & 0o777).toBe(0o600);
    }
    const read = [];
    for await (const one of blobsOfBackup(folder, await readManifest(folder))) read.push(one);
    expect(read).toEqual([
      { key: "runs/1/a.jpg", blob: { bytes, contentType: "image/jpeg" } },
      { key: "runs/1/empty", blob: { bytes: Buffer.alloc(0), contentType: "text/plain" } },
    ]);
  });

  it("reports a damaged blob, an unavailable store and an unwritable folder", async () => {
    const store = localBlobStore(path.join(folder, "blobs"));
    await store.put("runs/1/a.jpg", { bytes: Buffer.from("a"), contentType: "image/jpeg" });
    await truncate(path.join(folder, "blobs/runs/1/a.jpg"), 0);
    const packs = createPartWriter(folder, { kind: "blobs" });
    const damaged = await writeBlobs(store, packs).catch((error: unknown) => error);
    expect(damaged).toBeInstanceOf(BackupError);
    expect((damaged as Error).message).toContain("contains runs/1/a.jpg, which is damaged");
    const away = new PartUnavailableError("blob_store", "does not answer");
    const get = () => Promise.reject(away);
    await expect(writeBlobs({ list: store.list, get }, packs)).rejects.toBe(away);
    const nowhere = createPartWriter(path.join(folder, "nowhere"), { kind: "log" });
    await nowhere.add(Buffer.from("{}\n"));
    const unwritten = await nowhere.end().catch((error: unknown) => error);
    expect(unwritten).toBeInstanceOf(BackupError);
    expect((unwritten as Error).message).toContain("log-00001.jsonl.gz cannot be written: ENOENT");
  });

  it("names a missing, truncated, longer or altered part", async () => {
    const { manifest } = await writeOne();
    const pack = path.join(folder, "blobs-00001.pack");
    const whole = await readFile(pack);
    await truncate(pack, whole.length - 1);
    expect(await refusal()).toBe(
      `blobs-00001.pack is truncated: it has ${whole.length - 1} of ${whole.length} bytes.`,
    );
    await writeFile(pack, whole);
    await appendFile(pack, "x");
    expect(await refusal()).toContain("blobs-00001.pack was altered: it has");
    const altered = Buffer.from(whole);
    altered[whole.length - 2] = 1 + (altered[whole.length - 2] ?? 0);
    await writeFile(pack, altered);
    expect(await refusal()).toContain("blobs-00001.pack was altered: its SHA-256");
    await writeFile(pack, whole);
    await rm(path.join(folder, "state-persons-00001.jsonl.gz"));
    expect(await refusal()).toBe("state-persons-00001.jsonl.gz is missing.");
    const file = path.join(folder, MANIFEST);
    for (const [text, said] of [
      [manifest.replace('"count": 2', '"count": 1'), "is incomplete or was altered"],
      [manifest.slice(0, -20), "is incomplete or was altered"],
      [manifest.replace('"version": 1', '"version": 2'), "newer release"],
      ["[]", "is incomplete or was altered"],
    ] as const) {
      await writeFile(file, text);
      expect(await refusal()).toContain(said);
    }
    await rm(file);
    expect(await refusal()).toContain("is not a complete backup");
    await mkdir(file);
    expect(await refusal()).toContain("manifest.json cannot be read");
  });
});
