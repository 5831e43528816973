import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BlobSettings, openBlobStore } from "../../../../src/platform/blobs/openBlobStore.ts";
import { s3BlobStore } from "../../../../src/platform/blobs/s3.ts";
import { loadConfig } from "../../../../src/platform/config.ts";
import { PartAwayError } from "../../../../src/platform/partHealth.ts";
import { startTestS3, type TestS3 } from "../../../support/s3Server.ts";
import { blobContract } from "./blobContract.ts";

const open = (environment: Readonly<Record<string, string>>) => {
  const { blobStore } = loadConfig(environment);
  if (blobStore.kind !== "s3") throw new Error("no bucket");
  return blobStore;
};

blobContract("blobs in a bucket", async () => {
  const server = await startTestS3();
  return { store: await openBlobStore(open(server.environment)), stop: server.stop };
});

// A server that is there already, such as MinIO: a bucket of S3_TEST_BUCKET, and the AWS_… settings that open it.
const endpoint = process.env.S3_TEST_ENDPOINT;
if (endpoint !== undefined) {
  blobContract(`blobs in a bucket at ${endpoint}`, async () => {
    const settings = open({
      ...process.env,
      S3_ENDPOINT: endpoint,
      BLOB_STORE: `s3://${process.env.S3_TEST_BUCKET ?? "shots"}/${randomUUID()}`,
    } as Record<string, string>);
    return { store: await openBlobStore(settings), stop: async () => undefined };
  });
}

describe("a bucket that cannot be used", () => {
  let server: TestS3;
  const blob = { bytes: Buffer.from("x"), contentType: "text/plain" };

  beforeAll(async () => {
    server = await startTestS3();
  });
  afterAll(() => server?.stop());

  const said = async (change: Partial<Extract<BlobSettings, { kind: "s3" }>>) => {
    const store = await s3BlobStore({ ...open(server.environment), ...change });
    const calls = [
      () => store.put("a", blob),
      () => store.get("a"),
      () => store.deleteUnder("a"),
      () => store.list()[Symbol.asyncIterator]().next(),
      () => store.ping(),
    ];
    const words = new Set<string>();
    for (const work of calls) {
      const error = await work().then(
        () => new Error(`done: ${work}`),
        (reason: unknown) => reason,
      );
      expect([error, error instanceof PartAwayError]).toEqual([error, true]);
      words.add((error as Error).message);
    }
    return [...words];
  };

  it("given a wrong key or bucket, then each call says which, and no secret", async () => {
    const wrong = { accessKeyId: "AKIAWRONG", secretAccessKey: "hunter2" };
    // It looks at no signature of today's kind: a wrong secret is a case of s3Troubles.test.ts.
    expect(await said({ credentials: wrong })).toEqual([
      "The store of screenshots does not know the access key: AWS_ACCESS_KEY_ID is wrong",
    ]);
    // This server makes a bucket for whoever puts something into it.
    const nowhere = await s3BlobStore({ ...open(server.environment), bucket: "nothere" });
    for (const ask of [
      () => nowhere.deleteUnder("a"),
      () => nowhere.list()[Symbol.asyncIterator]().next(),
    ]) {
      await expect(ask()).rejects.toThrow("The store of screenshots has no bucket nothere");
    }
  });

  it("given a server that is gone, or that says nothing, then each call ends, and goes on once it is back", async () => {
    const store = await s3BlobStore(open(server.environment));
    await store.put("kept", blob);
    await server.away();
    expect(await said({})).toEqual(["The store of screenshots cannot be reached"]);
    await server.back();
    expect(await store.get("kept")).toEqual(blob);

    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const deaf = await s3BlobStore(
      { ...open(server.environment), endpoint: `http://127.0.0.1:${port}` },
      { answerMs: 200 },
    );
    await expect(deaf.ping()).rejects.toThrow("does not answer");
    await expect(deaf.get("a")).rejects.toThrow("does not answer");
    silent.close();
  });
});
