import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const ROOT = path.resolve(import.meta.dirname, "../../../..");

/** Opens the store in a process of its own and prints whether the AWS SDK is loaded there. Other tests load it in this one. */
const isSdkLoadedAfter = async (location: object): Promise<boolean> => {
  const program = `
    import { createRequire } from "node:module";
    import "${ROOT}/src/main/core/index.ts";
    import "${ROOT}/src/main/platform.ts";
    import { openBlobStore } from "${ROOT}/src/platform/blobs/openBlobStore.ts";
    await openBlobStore(${JSON.stringify(location)});
    const { cache } = createRequire("${ROOT}/package.json");
    console.log(Object.keys(cache).some((file) => file.includes("client-s3")));
    process.exit();
  `;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", program],
    { cwd: ROOT },
  );
  return stdout.trim() === "true";
};

it("loads the AWS SDK only for a bucket", async () => {
  const bucket = { kind: "s3", bucket: "shots", prefix: "", endpoint: "http://127.0.0.1:1" };
  const access = { region: "us-east-1", pathStyle: true, credentials: null };
  expect(await isSdkLoadedAfter({ kind: "folder", folder: "/tmp/runledger-unused" })).toBe(false);
  expect(await isSdkLoadedAfter({ ...bucket, ...access })).toBe(true);
});
