import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BlobStore } from "../../../../src/platform/blobs/port.ts";
import { collect } from "../../eventstore/support.ts";

/** The tests of the BlobStore port. `open` returns an empty store. */
export const blobContract = (
  name: string,
  open: () => Promise<{ readonly store: BlobStore; stop(): Promise<void> }>,
): void => {
  describe(name, () => {
    let opened: Awaited<ReturnType<typeof open>>;
    let store: BlobStore;
    const blob = { bytes: Buffer.from("x"), contentType: "text/plain" };
    const keys = async () => (await collect(store.list())).sort();

    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened?.stop());

    it("returns the bytes and the content type that were put", async () => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 4_096 }), async (array) => {
          const bytes = Buffer.from(array);
          await store.put("any/1/step-1.jpg", { bytes, contentType: "image/jpeg" });
          expect(await store.get("any/1/step-1.jpg")).toEqual({ bytes, contentType: "image/jpeg" });
        }),
        { numRuns: 25 },
      );
      const large = { bytes: Buffer.alloc(6 * 1024 * 1024, 7), contentType: "video/webm" };
      await store.put("any/large", large);
      expect((await store.get("any/large"))?.bytes.equals(large.bytes)).toBe(true);
      await store.deleteUnder("any");
    });

    it("returns null for unknown and deleted keys", async () => {
      await store.put("a/b", blob);
      expect(await store.get("a/c")).toBeNull();
      expect(await store.get("a")).toBeNull();
      expect(await store.get("a/b/c")).toBeNull();
      await store.delete("a/b");
      await store.delete("a/b");
      expect(await store.get("a/b")).toBeNull();
    });

    it("deletes all blobs of a folder and no others, also when repeated", async () => {
      await store.deleteUnder("runs/1");
      for (const key of ["runs/1/a/1.jpg", "runs/1/b", "runs/10/a", "baselines/1"]) {
        await store.put(key, blob);
      }
      expect(await keys()).toEqual(["baselines/1", "runs/1/a/1.jpg", "runs/1/b", "runs/10/a"]);
      await store.deleteUnder("runs/1");
      await store.deleteUnder("runs/1");
      expect(await keys()).toEqual(["baselines/1", "runs/10/a"]);
      expect(await store.get("runs/1/a/1.jpg")).toBeNull();
      expect(await store.get("runs/10/a")).toEqual(blob);
      await store.deleteUnder("runs");
      await store.deleteUnder("baselines");
      expect(await keys()).toEqual([]);
      await expect(store.deleteUnder("..")).rejects.toThrow("Not a blob key");
    });

    it("lists and deletes more blobs than one page holds", async () => {
      const many = Array.from({ length: 1_050 }, (_, n) => `many/${n % 3}/${n}`);
      for (let from = 0; from < many.length; from += 50) {
        await Promise.all(many.slice(from, from + 50).map((key) => store.put(key, blob)));
      }
      expect(await keys()).toEqual([...many].sort());
      await store.deleteUnder("many");
      expect(await keys()).toEqual([]);
    });

    it("leaves no blob behind after a ping", async () => {
      await store.ping();
      expect(await keys()).toEqual([]);
    });

    it.each([
      "",
      "/etc/passwd",
      "../x",
      "a/../../x",
      "a//b",
      ".incoming/x",
      ".ping",
      "a/.b",
      "a\\b",
      "a/b\0",
      "a b",
      "a/",
      "é",
      "a".repeat(201),
    ])("rejects the invalid key %j", async (key) => {
      await expect(store.put(key, blob)).rejects.toThrow("Not a blob key");
      await expect(store.get(key)).rejects.toThrow("Not a blob key");
      await expect(store.delete(key)).rejects.toThrow("Not a blob key");
    });
  });
};
