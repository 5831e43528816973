import type { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import { noParts, PartAwayError, type Parts } from "../parts.ts";
import { isSegment, segmentsOf } from "./key.ts";
import type { BlobStore } from "./port.ts";
import { whyOfS3 } from "./s3Troubles.ts";

/** A bucket, and who asks for what is in it. */
export type S3Settings = {
  readonly bucket: string;
  /** What all keys begin with, without slashes around it; empty: nothing. */
  readonly prefix: string;
  /** null: Amazon's own, of the region. */
  readonly endpoint: string | null;
  readonly region: string;
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`. */
  readonly pathStyle: boolean;
  /** null: those of the machine, as Amazon's tools find them. */
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  } | null;
};

/** A server that has said nothing for so long says nothing any more. */
const ANSWER_MS = 3_500;
/** A blob that is sent may take a second longer for each of so many bytes. */
const BYTES_A_SECOND = 1_024 * 1_024;
/** So many are deleted with one request: the protocol's limit. */
const DELETE_AT_ONCE = 1_000;
/** No key of a blob: it begins with a dot. */
const PROBE = ".ping";
const PROBE_BYTES = Buffer.from("ping");

/**
 * Keeps blobs as objects of a bucket, at Amazon or any server that speaks its protocol. Every call rejects on a key
 * that is none, and with PartAwayError when the bucket cannot be used: away, silent, not there, or not for this
 * access key; the message says which.
 */
export const s3BlobStore = async (
  settings: S3Settings,
  options: { readonly parts?: Parts; readonly answerMs?: number } = {},
): Promise<BlobStore> => {
  const sdk = await import("@aws-sdk/client-s3");
  const { bucket: Bucket } = settings;
  const parts = options.parts ?? noParts;
  const answerMs = options.answerMs ?? ANSWER_MS;
  const start = settings.prefix === "" ? "" : `${settings.prefix}/`;
  const nameOf = (key: string): string => `${start}${segmentsOf(key).join("/")}`;
  const client: S3Client = new sdk.S3Client({
    region: settings.region,
    forcePathStyle: settings.pathStyle,
    maxAttempts: 2,
    // Servers of others know the checksums of old alone.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    ...(settings.endpoint === null ? {} : { endpoint: settings.endpoint }),
    ...(settings.credentials === null ? {} : { credentials: { ...settings.credentials } }),
  });

  /** `alive` begins the time anew: something came. */
  const bounded = <T>(
    work: (abortSignal: AbortSignal, alive: () => void) => Promise<T>,
    patienceMs = answerMs,
  ): Promise<T> =>
    parts.call("blob_store", async () => {
      const silence = new AbortController();
      const timer = setTimeout(() => silence.abort(), patienceMs);
      try {
        return await work(silence.signal, () => timer.refresh());
      } catch (error) {
        const why = silence.signal.aborted ? "does not answer" : whyOfS3(error, settings.bucket);
        throw why === null ? error : new PartAwayError("blob_store", why, withoutRequest(error));
      } finally {
        clearTimeout(timer);
      }
    });

  /**
   * The names of all objects that begin so, a page at a time: each begins behind the last name of the one before.
   * That is the older of the protocol's two ways, which every server knows.
   */
  async function* pages(Prefix: string): AsyncGenerator<string[]> {
    for (let Marker: string | undefined, isOver = false; !isOver; ) {
      const command = new sdk.ListObjectsCommand({
        ...{ Bucket, Prefix },
        ...(Marker === undefined ? {} : { Marker }),
      });
      const page = await bounded((abortSignal) => client.send(command, { abortSignal }));
      const names = (page.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [Key]));
      yield names;
      Marker = names.at(-1);
      isOver = !page.IsTruncated || Marker === undefined;
    }
  }

  const remove = async (names: readonly string[]): Promise<void> => {
    const Objects = names.map((Key) => ({ Key }));
    const command = new sdk.DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } });
    const { Errors = [] } = await bounded((abortSignal) => client.send(command, { abortSignal }));
    const [failed] = Errors;
    if (!failed) return;
    throw new PartAwayError("blob_store", `does not delete ${Errors.length} blobs: ${failed.Code}`);
  };

  return {
    put: async (key, { bytes, contentType }) => {
      const Key = nameOf(key);
      const command = new sdk.PutObjectCommand({
        ...{ Bucket, Key, Body: bytes, ContentType: contentType },
      });
      await bounded(
        (abortSignal) => client.send(command, { abortSignal }),
        answerMs + (1_000 * bytes.length) / BYTES_A_SECOND,
      );
    },

    get: async (key) => {
      const command = new sdk.GetObjectCommand({ Bucket, Key: nameOf(key) });
      return bounded(async (abortSignal, alive) => {
        try {
          const { Body, ContentType = "" } = await client.send(command, { abortSignal });
          const chunks: Buffer[] = [];
          for await (const chunk of (Body ?? []) as Readable) {
            alive();
            chunks.push(chunk as Buffer);
          }
          return { bytes: Buffer.concat(chunks), contentType: ContentType };
        } catch (error) {
          if (error instanceof sdk.NoSuchKey) return null;
          throw error;
        }
      });
    },

    delete: async (key) => {
      const command = new sdk.DeleteObjectCommand({ Bucket, Key: nameOf(key) });
      await bounded((abortSignal) => client.send(command, { abortSignal }));
    },

    deleteUnder: async (folder) => {
      const under = `${nameOf(folder)}/`;
      // Collected first: a page of a list that others shorten meanwhile may begin too late.
      const names: string[] = [];
      for await (const page of pages(under)) names.push(...page);
      for (let from = 0; from < names.length; from += DELETE_AT_ONCE) {
        await remove(names.slice(from, from + DELETE_AT_ONCE));
      }
    },

    list: async function* () {
      for await (const page of pages(start)) {
        for (const name of page) {
          const key = name.slice(start.length);
          if (key.split("/").every(isSegment)) yield key;
        }
      }
    },

    ping: async () => {
      const command = new sdk.PutObjectCommand({
        Bucket,
        Key: `${start}${PROBE}`,
        Body: PROBE_BYTES,
      });
      await bounded((abortSignal) => client.send(command, { abortSignal }));
    },
  };
};

/** What the client throws holds the request with its headers, and with them who asks: none of that belongs into a log. */
const withoutRequest = (error: unknown): Error => {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return new Error(`${name}: ${message}`);
};
