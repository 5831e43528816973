import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import "../../../../src/main/core/index.ts";
import "../../../../src/main/platform.ts";
import { openBlobStore } from "../../../../src/platform/blobs/openBlobStore.ts";

const { cache } = createRequire(import.meta.url);
const isSdkLoaded = (): boolean =>
  Object.keys(cache).some((file) => file.includes(path.join("@aws-sdk", "client-s3")));

it("loads the AWS SDK only for a bucket", async () => {
  await openBlobStore({ kind: "folder", folder: path.join(tmpdir(), "runledger-unused") });
  expect(isSdkLoaded()).toBe(false);
  await openBlobStore({
    kind: "s3",
    bucket: "shots",
    prefix: "",
    endpoint: "http://127.0.0.1:1",
    region: "us-east-1",
    pathStyle: true,
    credentials: null,
  });
  expect(isSdkLoaded()).toBe(true);
});
