import type { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import { type PartHealth, PartUnavailableError, untrackedParts } from "../../partHealth.ts";
import { isSegment, segmentsOf } from "../key.ts";
import type { Blob, BlobStore } from "../port.ts";
import { bucketProblem } from "./errors.ts";

export type S3Settings = {
  readonly bucket: string;
  /** Common prefix of all keys, without slashes around it, or empty. */
  readonly prefix: string;
  /** Null means Amazon's endpoint of the region. */
  readonly endpoint: string | null;
  readonly region: string;
  /** Uses `endpoint/bucket/key` instead of `bucket.endpoint/key`. */
  readonly pathStyle: boolean;
  /** Null uses the AWS SDK's default credential chain. */
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  } | null;
};

/** Time without a response or further bytes after which a request is aborted. */
const TIMEOUT_MS = 3_500;
/** Uploads get an additional second for each of so many bytes. */
const BYTES_PER_SECOND = 1_024 * 1_024;
/** The protocol's limit for one DeleteObjects request. */
const DELETE_BATCH = 1_000;
/** Starts with a dot, which no key does. */
const PROBE = ".ping";
const PROBE_BYTES = Buffer.from("ping");

type Deps = {
  readonly sdk: typeof import("@aws-sdk/client-s3");
  readonly client: S3Client;
  readonly bucket: string;
  /** Prefix of all object names, with its slash. */
  readonly prefix: string;
  readonly timeoutMs: number;
  readonly parts: PartHealth;
};

/**
 * Stores blobs as objects of a bucket at Amazon S3 or a compatible server. Loads the AWS SDK. Rejects with Error for an
 * invalid key (see segmentsOf) and with PartUnavailableError if the bucket cannot be used.
 */
export const s3BlobStore = async (
  settings: S3Settings,
  options: { readonly parts?: PartHealth; readonly answerMs?: number } = {},
): Promise<BlobStore> => {
  const sdk = await import("@aws-sdk/client-s3");
  const client = new sdk.S3Client({
    region: settings.region,
    forcePathStyle: settings.pathStyle,
    maxAttempts: 2,
    // Many compatible servers do not support the SDK's newer default checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    ...(settings.endpoint === null ? {} : { endpoint: settings.endpoint }),
    ...(settings.credentials === null ? {} : { credentials: { ...settings.credentials } }),
  });
  const deps: Deps = {
    sdk,
    client,
    bucket: settings.bucket,
    prefix: settings.prefix === "" ? "" : `${settings.prefix}/`,
    timeoutMs: options.answerMs ?? TIMEOUT_MS,
    parts: options.parts ?? untrackedParts,
  };
  return {
    put: (key, blob) => put(deps, key, blob),
    get: (key) => get(deps, key),
    delete: (key) => deleteOne(deps, key),
    deleteUnder: (folder) => deleteUnder(deps, folder),
    list: () => list(deps),
    ping: () => writeProbe(deps),
  };
};

/**
 * Calls the server. Aborts after `timeoutMs` without progress; the task reports progress with `extend`. Rejects with
 * PartUnavailableError if the bucket cannot be used.
 */
const request = <T>(
  { parts, bucket, ...deps }: Deps,
  task: (abortSignal: AbortSignal, extend: () => void) => Promise<T>,
  timeoutMs = deps.timeoutMs,
): Promise<T> =>
  parts.call("blob_store", async () => {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    try {
      return await task(timeout.signal, () => timer.refresh());
    } catch (error) {
      const problem = timeout.signal.aborted ? "does not answer" : bucketProblem(error, bucket);
      if (problem === null) throw error;
      throw new PartUnavailableError("blob_store", problem, withoutRequest(error));
    } finally {
      clearTimeout(timer);
    }
  });

/** The SDK's errors contain the request with its credentials, which must not get into logs. */
const withoutRequest = (error: unknown): Error => {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return new Error(`${name}: ${message}`);
};

const nameOf = ({ prefix }: Deps, key: string): string => `${prefix}${segmentsOf(key).join("/")}`;

const put = async (deps: Deps, key: string, { bytes, contentType }: Blob): Promise<void> => {
  const command = new deps.sdk.PutObjectCommand({
    Bucket: deps.bucket,
    Key: nameOf(deps, key),
    Body: bytes,
    ContentType: contentType,
  });
  await request(
    deps,
    (abortSignal) => deps.client.send(command, { abortSignal }),
    deps.timeoutMs + (1_000 * bytes.length) / BYTES_PER_SECOND,
  );
};

const get = async (deps: Deps, key: string): Promise<Blob | null> => {
  const { sdk, client, bucket } = deps;
  const command = new sdk.GetObjectCommand({ Bucket: bucket, Key: nameOf(deps, key) });
  return request(deps, async (abortSignal, extend) => {
    try {
      const { Body, ContentType = "" } = await client.send(command, { abortSignal });
      const chunks: Buffer[] = [];
      for await (const chunk of (Body ?? []) as Readable) {
        extend();
        chunks.push(chunk as Buffer);
      }
      return { bytes: Buffer.concat(chunks), contentType: ContentType };
    } catch (error) {
      if (error instanceof sdk.NoSuchKey) return null;
      throw error;
    }
  });
};

const deleteOne = async (deps: Deps, key: string): Promise<void> => {
  const command = new deps.sdk.DeleteObjectCommand({
    Bucket: deps.bucket,
    Key: nameOf(deps, key),
  });
  await request(deps, (abortSignal) => deps.client.send(command, { abortSignal }));
};

const deleteUnder = async (deps: Deps, folder: string): Promise<void> => {
  // Lists all names before deleting: deletions between two pages could make the second one skip names.
  const names: string[] = [];
  for await (const page of pagesOf(deps, `${nameOf(deps, folder)}/`)) names.push(...page);
  for (let from = 0; from < names.length; from += DELETE_BATCH) {
    await deleteBatch(deps, names.slice(from, from + DELETE_BATCH));
  }
};

const deleteBatch = async (deps: Deps, names: readonly string[]): Promise<void> => {
  const command = new deps.sdk.DeleteObjectsCommand({
    Bucket: deps.bucket,
    Delete: { Objects: names.map((Key) => ({ Key })), Quiet: true },
  });
  const { Errors = [] } = await request(deps, (abortSignal) =>
    deps.client.send(command, { abortSignal }),
  );
  const [first] = Errors;
  if (!first) return;
  throw new PartUnavailableError(
    "blob_store",
    `does not delete ${Errors.length} blobs: ${first.Code}`,
  );
};

async function* list(deps: Deps): AsyncGenerator<string> {
  for await (const page of pagesOf(deps, deps.prefix)) {
    for (const name of page) {
      const key = name.slice(deps.prefix.length);
      if (key.split("/").every(isSegment)) yield key;
    }
  }
}

/** Lists names with version 1 of ListObjects, which every compatible server supports. */
async function* pagesOf(deps: Deps, Prefix: string): AsyncGenerator<string[]> {
  for (let Marker: string | undefined, isOver = false; !isOver; ) {
    const command = new deps.sdk.ListObjectsCommand({
      Bucket: deps.bucket,
      Prefix,
      ...(Marker === undefined ? {} : { Marker }),
    });
    const page = await request(deps, (abortSignal) => deps.client.send(command, { abortSignal }));
    const names = (page.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [Key]));
    yield names;
    Marker = names.at(-1);
    isOver = !page.IsTruncated || Marker === undefined;
  }
}

const writeProbe = async (deps: Deps): Promise<void> => {
  const command = new deps.sdk.PutObjectCommand({
    Bucket: deps.bucket,
    Key: `${deps.prefix}${PROBE}`,
    Body: PROBE_BYTES,
  });
  await request(deps, (abortSignal) => deps.client.send(command, { abortSignal }));
};
