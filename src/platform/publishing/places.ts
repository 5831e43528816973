import { sha256 } from "../crypto.ts";

/** Where small public texts are published. `name` is for logs and tables: it contains no secret of an address. */
export type Place =
  | { readonly kind: "folder"; readonly name: string; readonly folder: string }
  | {
      readonly kind: "bucket";
      readonly name: string;
      readonly bucket: string;
      readonly prefix: string;
    }
  | { readonly kind: "webhook"; readonly name: string; readonly url: string }
  | { readonly kind: "mail"; readonly name: string; readonly address: string };

const BUCKET =
  /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*)?\/?)?$/;
const LOCAL = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Parses a place: `file:///folder`, `s3://bucket/prefix`, `https://…` or `mailto:address`. Null if it is none. */
export const parsePlace = (text: string): Place | null => {
  const [, bucket, prefix = ""] = BUCKET.exec(text) ?? [];
  if (bucket !== undefined) return { kind: "bucket", name: text, bucket, prefix };
  const [, address] = /^mailto:([^\s<>@,?]+@[^\s<>@,?]+)$/.exec(text) ?? [];
  // The digest keeps the address of a person out of logs and tables.
  if (address !== undefined) return { kind: "mail", name: `mailto:${digest(text)}`, address };
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.protocol === "file:" && url.host === "" && url.pathname !== "/") {
    return { kind: "folder", name: text, folder: decodeURIComponent(url.pathname) };
  }
  const isSafe =
    url.protocol === "https:" || (url.protocol === "http:" && LOCAL.test(url.hostname));
  // Path and query of a webhook may contain its token.
  return isSafe ? { kind: "webhook", name: `${url.origin}/…#${digest(text)}`, url: text } : null;
};

const digest = (text: string): string => sha256(Buffer.from(text)).slice(0, 8);
