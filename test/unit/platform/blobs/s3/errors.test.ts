import { describe, expect, it } from "vitest";
import { bucketProblem } from "../../../../../src/platform/blobs/s3/errors.ts";

const failed = (name: string, fields: object = {}) =>
  Object.assign(new Error("hunter2"), { name, ...fields });
const answered = (name: string, httpStatusCode: number) =>
  failed(name, { $metadata: { httpStatusCode } });

describe("bucketProblem", () => {
  it("explains errors of a bucket and names the setting to correct", () => {
    const problems = [
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
    ].map((error) => bucketProblem(error, "shots"));
    expect(problems).toEqual([
      "has no bucket shots",
      "refuses the access key: AWS_SECRET_ACCESS_KEY is wrong",
      "does not let this access key use the bucket shots",
      "does not let this access key use the bucket shots",
      "has the bucket shots in another region: set AWS_REGION",
      "refuses the access key: it has expired",
      "has no access key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
      "is overloaded",
      "answers 500",
      "refuses the request: EntityTooLarge",
      "answers 400 without an S3 error code",
      "cannot be reached",
      "cannot be reached: its host has no address",
    ]);
    expect(bucketProblem(new TypeError("ours"), "shots")).toBeNull();
    expect(bucketProblem("ours", "shots")).toBeNull();
  });
});
