import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BlobSettings, openBlobStore } from "../../../../src/platform/blobs/openBlobStore.ts";
import { s3BlobStore } from "../../../../src/platform/blobs/s3/store.ts";
import { loadConfig } from "../../../../src/platform/config.ts";
import { PartUnavailableError } from "../../../../src/platform/partHealth.ts";
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

// Also tests an external server such as MinIO if S3_TEST_ENDPOINT, S3_TEST_BUCKET and the AWS_… settings are set.
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

describe("s3BlobStore with an unusable bucket", () => {
  let server: TestS3;
  const blob = { bytes: Buffer.from("x"), contentType: "text/plain" };

  beforeAll(async () => {
    server = await startTestS3();
  });
  afterAll(() => server?.stop());

  const messagesOf = async (change: Partial<Extract<BlobSettings, { kind: "s3" }>>) => {
    const store = await s3BlobStore({ ...open(server.environment), ...change });
    const calls = [
      () => store.put("a", blob),
      () => store.get("a"),
      () => store.deleteUnder("a"),
      () => store.list()[Symbol.asyncIterator]().next(),
      () => store.ping(),
    ];
    const messages = new Set<string>();
    for (const work of calls) {
      const error = await work().then(
        () => new Error(`done: ${work}`),
        (reason: unknown) => reason,
      );
      expect([error, error instanceof PartUnavailableError]).toEqual([error, true]);
      messages.add((error as Error).message);
    }
    return [...messages];
  };

  it("names a wrong access key or bucket in every call, without the secret", async () => {
    const wrong = { accessKeyId: "AKIAWRONG", secretAccessKey: "hunter2" };
    // The test server does not verify signatures: test/unit/platform/blobs/s3/errors.test.ts covers a wrong secret.
    expect(await messagesOf({ credentials: wrong })).toEqual([
      "The store of screenshots does not know the access key: AWS_ACCESS_KEY_ID is wrong",
    ]);
    // The test server creates a missing bucket on put.
    const missing = await s3BlobStore({ ...open(server.environment), bucket: "nothere" });
    for (const ask of [
      () => missing.deleteUnder("a"),
      () => missing.list()[Symbol.asyncIterator]().next(),
    ]) {
      await expect(ask()).rejects.toThrow("The store of screenshots has no bucket nothere");
    }
  });

  it("rejects calls to a stopped or silent server and recovers when it is back", async () => {
    const store = await s3BlobStore(open(server.environment));
    await store.put("kept", blob);
    await server.away();
    expect(await messagesOf({})).toEqual(["The store of screenshots cannot be reached"]);
    await server.back();
    expect(await store.get("kept")).toEqual(blob);

    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const unresponsive = await s3BlobStore(
      { ...open(server.environment), endpoint: `http://127.0.0.1:${port}` },
      { answerMs: 200 },
    );
    await expect(unresponsive.ping()).rejects.toThrow("does not answer");
    await expect(unresponsive.get("a")).rejects.toThrow("does not answer");
    silent.close();
  });
});
