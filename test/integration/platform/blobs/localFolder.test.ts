import { mkdtemp, readdir, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { localBlobStore } from "../../../../src/platform/blobs/localFolder.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "runledger-blobs-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("local blob store", () => {
  it("given any bytes, when they are put and got, then bytes and content type are the same", async () => {
    const store = localBlobStore(folder);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 4_096 }), async (array) => {
        const bytes = Buffer.from(array);
        await store.put("runs/1/step-1.jpg", { bytes, contentType: "image/jpeg" });
        expect(await store.get("runs/1/step-1.jpg")).toEqual({ bytes, contentType: "image/jpeg" });
      }),
      { numRuns: 40 },
    );
  });

  it("given a key that was never put, or was deleted, when it is got, then there is none", async () => {
    const store = localBlobStore(folder);
    await store.put("a/b", { bytes: Buffer.from("x"), contentType: "text/plain" });
    expect(await store.get("a/c")).toBeNull();
    expect(await store.get("a")).toBeNull();
    expect(await store.get("a/b/c")).toBeNull();
    await store.delete("a/b");
    await store.delete("a/b");
    expect(await store.get("a/b")).toBeNull();
  });

  it("given blobs under a folder, when all of it is deleted, once or again, then they are gone, the others are not, and no empty folder is left", async () => {
    const store = localBlobStore(folder);
    const blob = { bytes: Buffer.from("x"), contentType: "text/plain" };
    await store.deleteUnder("runs/1");
    for (const key of ["runs/1/a/1.jpg", "runs/1/b", "runs/10/a", "baselines/1"]) {
      await store.put(key, blob);
    }
    await store.deleteUnder("runs/1");
    await store.deleteUnder("runs/1");
    expect(await store.get("runs/1/a/1.jpg")).toBeNull();
    expect(await store.get("runs/10/a")).toEqual(blob);
    await store.deleteUnder("runs/10");
    expect((await readdir(folder)).sort()).toEqual([".incoming", "baselines"]);
    expect(await store.get("baselines/1")).toEqual(blob);
    await expect(store.deleteUnder("..")).rejects.toThrow("Not a blob key");
    await rm(folder, { recursive: true });
    await expect(store.deleteUnder("baselines")).rejects.toThrow("is gone");
  });

  it("given a folder that is emptied while others write into it, then every blob that was put is there", async () => {
    const store = localBlobStore(folder);
    const blob = { bytes: Buffer.from("x"), contentType: "text/plain" };
    for (let round = 0; round < 30; round += 1) {
      await store.put(`runs/1/${round}`, blob);
      await Promise.all([store.deleteUnder(`runs/1/${round}`), store.put("runs/1/kept", blob)]);
      expect(await store.get("runs/1/kept")).toEqual(blob);
      await store.delete("runs/1/kept");
    }
  });

  it("given twenty writers of one key, when a reader reads all the while, then it sees whole blobs alone", async () => {
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

  it.each([
    "",
    "/etc/passwd",
    "../x",
    "a/../../x",
    "a//b",
    ".incoming/x",
    "a/.b",
    "a\\b",
    "a/b\0",
    "a b",
    "a/",
    "é",
    "a".repeat(201),
  ])("given the key %j, when anything is done with it, then it is refused", async (key) => {
    const store = localBlobStore(folder);
    const blob = { bytes: Buffer.from("x"), contentType: "text/plain" };
    await expect(store.put(key, blob)).rejects.toThrow("Not a blob key");
    await expect(store.get(key)).rejects.toThrow("Not a blob key");
    await expect(store.delete(key)).rejects.toThrow("Not a blob key");
  });

  it("given a file that lost its bytes, when it is got, then the damage is told", async () => {
    const store = localBlobStore(folder);
    await store.put("k", { bytes: Buffer.from("x"), contentType: "text/plain" });
    await truncate(path.join(folder, "k"), 3);
    await expect(store.get("k")).rejects.toThrow("damaged");
  });

  it("given a folder that cannot be made, when the store is pinged, then it rejects", async () => {
    await localBlobStore(folder).put("file", { bytes: Buffer.from("x"), contentType: "t/p" });
    await expect(localBlobStore(path.join(folder, "file")).ping()).rejects.toThrow();
    await expect(localBlobStore(path.join(folder, "new")).ping()).resolves.toBeUndefined();
  });
});
