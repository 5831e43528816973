import { describe, expect, it } from "vitest";
import { whyOfS3 } from "../../../src/platform/blobs/s3Troubles.ts";

const failed = (name: string, fields: object = {}) =>
  Object.assign(new Error("hunter2"), { name, ...fields });
const answered = (name: string, httpStatusCode: number) =>
  failed(name, { $metadata: { httpStatusCode } });

describe("what is wrong with a bucket", () => {
  it("given what a server answers, or that none does, then it is said with the setting that mends it", () => {
    const said = [
      answered("NoSuchBucket", 404),
      answered("SignatureDoesNotMatch", 403),
      answered("AccessDenied", 403),
      answered("Forbidden", 403),
      answered("PermanentRedirect", 301),
      answered("ExpiredToken", 400),
      failed("CredentialsProviderError"),
      answered("SlowDown", 503),
      answered("InternalError", 500),
      answered("EntityTooLarge", 400),
      answered("Unknown", 400),
      failed("Error", { code: "ECONNREFUSED" }),
      failed("Error", { code: "ENOTFOUND" }),
    ].map((error) => whyOfS3(error, "shots"));
    expect(said).toEqual([
      "has no bucket shots",
      "refuses the access key: AWS_SECRET_ACCESS_KEY is wrong",
      "does not let this access key use the bucket shots",
      "does not let this access key use the bucket shots",
      "has the bucket shots in another region: set AWS_REGION",
      "refuses the access key: it has expired",
      "has no access key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
      "is overloaded",
      "answers with an error of its own",
      "refuses what is asked of it: EntityTooLarge",
      "answers 400, and not as S3 does",
      "cannot be reached",
      "cannot be reached: its host has no address",
    ]);
    expect(whyOfS3(new TypeError("ours"), "shots")).toBeNull();
    expect(whyOfS3("ours", "shots")).toBeNull();
  });
});
