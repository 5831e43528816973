import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { openBlobStore } from "../blobs/openBlobStore.ts";
import type { S3Settings } from "../blobs/s3/store.ts";
import type { Place } from "./places.ts";

/** A text to publish. `name` is a file name. */
export type PublishedText = { readonly name: string; readonly text: string };

export type PublishDeps = {
  /** The access to buckets: that of the blob store. */
  readonly s3: Omit<S3Settings, "bucket" | "prefix">;
  readonly sendMail: (address: string, published: PublishedText) => Promise<void>;
};

const WEBHOOK_MS = 10_000;

/** Publishes a text at a place. Repeating it changes nothing there. Rejects with a reason without secrets. */
export const publish = async (
  { s3, sendMail }: PublishDeps,
  place: Place,
  published: PublishedText,
): Promise<void> => {
  switch (place.kind) {
    case "folder":
      return writeInto(place.folder, published);
    case "bucket": {
      const { bucket, prefix } = place;
      const store = await openBlobStore({ kind: "s3", ...s3, bucket, prefix });
      const bytes = Buffer.from(published.text);
      return store.put(published.name, { bytes, contentType: "text/plain; charset=utf-8" });
    }
    case "webhook":
      return post(place.url, published);
    case "mail":
      return sendMail(place.address, published);
    default:
      return unknownPlace(place);
  }
};

const unknownPlace = (place: never): never => {
  throw new Error(`Unknown place ${JSON.stringify(place)}`);
};

/** Writes a file as a whole, readable by others. */
const writeInto = async (folder: string, { name, text }: PublishedText): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, name);
  await writeFile(`${file}.part`, text, { mode: 0o644 });
  await rename(`${file}.part`, file);
};

const post = async (url: string, { text }: PublishedText): Promise<void> => {
  const signal = AbortSignal.timeout(WEBHOOK_MS);
  const headers = { "content-type": "text/plain; charset=utf-8" };
  let status: number;
  try {
    const response = await fetch(url, {
      method: "POST",
      body: text,
      headers,
      signal,
      redirect: "error",
    });
    status = response.status;
    await response.body?.cancel();
  } catch {
    // The error of fetch may name the address.
    throw new Error("the webhook does not answer");
  }
  if (status < 200 || status > 299) throw new Error(`the webhook answered ${status}`);
};
