import { existsSync } from "node:fs";
import { mkdtemp, readdir, rename, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { localBlobStore } from "../../../../src/platform/blobs/folder/store.ts";
import { blobContract } from "./blobContract.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "runledger-blobs-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

blobContract("blobs in a folder", async () => {
  const own = await mkdtemp(path.join(tmpdir(), "runledger-blobs-"));
  return {
    store: localBlobStore(own),
    stop: () => rm(own, { recursive: true, force: true }),
  };
});

describe("local blob store", () => {
  it("removes empty folders after a deletion and rejects if the root is missing", async () => {
    const store = localBlobStore(folder);
    const blob = { bytes: Buffer.from("x"), contentType: "text/plain" };
    for (const key of ["runs/10/a", "baselines/1"]) await store.put(key, blob);
    await store.deleteUnder("runs/10");
    expect((await readdir(folder)).sort()).toEqual([".incoming", "baselines"]);
    await rm(folder, { recursive: true });
    await expect(store.deleteUnder("baselines")).rejects.toThrow("is gone");
    await expect(store.list()[Symbol.asyncIterator]().next()).rejects.toThrow("is gone");
  });

  it("keeps blobs that are put into a folder while it is deleted", async () => {
    const store = localBlobStore(folder);
    const blob = { bytes: Buffer.from("x"), contentType: "text/plain" };
    for (let round = 0; round < 30; round += 1) {
      await store.put(`runs/1/${round}`, blob);
      await Promise.all([store.deleteUnder(`runs/1/${round}`), store.put("runs/1/kept", blob)]);
      expect(await store.get("runs/1/kept")).toEqual(blob);
      await store.delete("runs/1/kept");
    }
  });

  it("does not recreate a root that disappears, and continues when it is back", async () => {
    const store = localBlobStore(folder);
    const blob = { bytes: Buffer.alloc(20_000), contentType: "image/jpeg" };
    for (let round = 0; round < 15; round += 1) {
      let n = 0;
      let writing = true;
      const writers = Array.from({ length: 4 }, async () => {
        while (writing) {
          n += 1;
          await store.put(`round-${round}/${n}/a.jpg`, blob).catch(() => undefined);
        }
      });
      await vi.waitUntil(() => n > 8 + round, { interval: 1, timeout: 20_000 });
      await rename(folder, `${folder}.moved`);
      await expect(store.ping()).rejects.toThrow("is gone");
      writing = false;
      await Promise.all(writers);
      expect(existsSync(folder)).toBe(false);
      await rename(`${folder}.moved`, folder);
      await store.ping();
    }
  });

  it("never returns a partial blob while twenty writers replace it", async () => {
    const store = localBlobStore(folder);
    const blob = (n: number) => ({ bytes: Buffer.alloc(50_000, n), contentType: `text/${n}` });
    await store.put("k", blob(0));
    let writing = true;
    const writers = Promise.all(
      Array.from({ length: 20 }, (_, n) => store.put("k", blob(n))),
    ).finally(() => {
      writing = false;
    });
    while (writing) {
      const got = await store.get("k");
      const first = got?.bytes[0] ?? -1;
      expect(got).toEqual(blob(first));
    }
    await writers;
    expect(await readdir(path.join(folder, ".incoming"))).toEqual([]);
  });

  it("rejects a truncated file as damaged", async () => {
    const store = localBlobStore(folder);
    await store.put("k", { bytes: Buffer.from("x"), contentType: "text/plain" });
    await truncate(path.join(folder, "k"), 3);
    await expect(store.get("k")).rejects.toThrow("damaged");
  });

  it("rejects a ping if the folder cannot be created", async () => {
    await localBlobStore(folder).put("file", { bytes: Buffer.from("x"), contentType: "t/p" });
    await expect(localBlobStore(path.join(folder, "file")).ping()).rejects.toThrow();
    await expect(localBlobStore(path.join(folder, "new")).ping()).resolves.toBeUndefined();
  });
});
