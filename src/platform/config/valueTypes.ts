import { isIP } from "node:net";
import { z } from "zod";
import { readNatsUrl } from "../bus/readNatsUrl.ts";
import { parseMasterKey } from "../masterKey.ts";
import { type Place, parsePlace } from "../publishing/places.ts";

/** This very machine, as the host of an address. */
export const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** The description of the expected value, for the message about an invalid one. */
export const refused = (expected: string) => ({ error: expected });

/** A whole number from `min` to `max`. */
export const wholeNumber = (min: number, max: number) => {
  const expected = `a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, refused(expected))
    .transform(Number)
    .refine((value) => value >= min && value <= max, refused(expected));
};

/** An address of one of these protocols; `expected` says it to a person. */
export const urlOf = (protocols: readonly string[], expected: string) =>
  z.string().refine((text) => hasProtocol(text, protocols), refused(expected));

/** Whether a text is an address of one of these protocols. */
export const hasProtocol = (text: string, protocols: readonly string[]): boolean =>
  protocols.some((protocol) => text.startsWith(`${protocol}://`)) && URL.canParse(text);

/** An http(s) address that is shown to people; without the slashes it ends with. */
export const webAddress = urlOf(
  ["http", "https"],
  "an http(s) address such as https://runledger.example.org",
)
  .refine((text) => !/[?#]/.test(text), refused("an address without ? and #"))
  // These are shown: in links, tokens and messages.
  .refine((text) => !/^[^/]*\/\/[^/]*@/.test(text), refused("an address without user and password"))
  .transform((text) => text.replace(/\/+$/, ""));

/** A provider's tokens are only as safe as the connection to it, so HTTP without TLS is accepted on loopback only. */
export const issuer = webAddress.refine(
  (text) => text.startsWith("https://") || LOOPBACK.test(hostOf(text)),
  refused("the https address of an OpenID Connect provider, such as https://accounts.google.com"),
);

const hostOf = (text: string): string =>
  URL.canParse(text) ? new URL(text).hostname.replace(/^\[|\]$/g, "") : "";

/** The items of a comma-separated list. */
export const list = (text: string): string[] =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

/** Whether a text is an origin of web pages: no path, no `*`. */
export const isOrigin = (text: string): boolean =>
  hasProtocol(text, ["http", "https"]) && new URL(text).origin === text;

/** One address, with or without a name before it. */
export const isSender = (text: string): boolean =>
  /^([^<>@,\p{Cc}]*<[^\s<>@,]+@[^\s<>@,]+>|[^\s<>@,]+@[^\s<>@,]+)$/u.test(text);

/** A setting with a validator that returns a description of the expected value. */
export const unless =
  (problemOf: (text: string) => string | null) =>
  (text: string, context: z.core.$RefinementCtx<string>): void => {
    const message = problemOf(text);
    if (message !== null) context.addIssue({ code: "custom", message });
  };

/** The fault of a NATS address; null if it is valid. */
export const natsUrlProblem = (text: string): string | null => {
  const read = readNatsUrl(text);
  return "problem" in read ? read.problem : null;
};

const isAllowed = (one: string): boolean => {
  const [address = "", prefix, ...rest] = one.split("/");
  const family = isIP(address);
  if (family === 0) return /^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(one);
  const most = family === 4 ? 32 : 128;
  return rest.length === 0 && (prefix === undefined || (/^\d+$/.test(prefix) && +prefix <= most));
};

/** Hosts and networks. */
export const allowed = z
  .string()
  .transform(list)
  .refine(
    (all) => all.every(isAllowed),
    refused("hosts and networks with commas between: shop.internal, *.internal, 10.1.0.0/16"),
  );

/** Places that receive checkpoints of the log. */
export const anchors = z.string().transform((text, context): readonly Place[] => {
  const places = list(text).map(parsePlace);
  if (places.every((place) => place !== null)) return places;
  context.addIssue({
    code: "custom",
    message:
      "places with commas between: file:///folder, s3://bucket/prefix, https://host/path, mailto:auditor@example.org",
  });
  return z.NEVER;
});

/** The proxies whose forwarded client addresses are trusted. */
export const trustProxy = z.string().transform((text, context): boolean | number | string[] => {
  if (text === "true" || text === "false") return text === "true";
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const addresses = list(text);
  if (addresses.length > 0 && addresses.every((item) => /^[0-9a-f.:]+(\/\d{1,3})?$/i.test(item))) {
    return addresses;
  }
  context.addIssue({
    code: "custom",
    message: "true, false, the number of proxies in front, or their addresses (10.0.0.0/8)",
  });
  return z.NEVER;
});

const priced = z.record(
  z.string().min(1).max(200),
  z.strictObject({
    plan: z.enum(["starter", "team", "business"]),
    interval: z.enum(["month", "year"]),
  }),
);

/** From the price ids of a payment provider to our plans. */
export const prices = z.string().transform((text, context): z.output<typeof priced> => {
  try {
    return priced.parse(JSON.parse(text));
  } catch {
    context.addIssue({
      code: "custom",
      message:
        'JSON from price ids to plans, such as {"pri_1": {"plan": "team", "interval": "month"}}',
    });
    return z.NEVER;
  }
});

/** The key of keys, as 32 bytes. */
export const masterKey = z.string().transform((text, context): Buffer => {
  const key = parseMasterKey(text);
  if (key) return key;
  context.addIssue({
    code: "custom",
    message: "32 random bytes as 64 hex digits or base64: openssl rand -hex 32",
  });
  return z.NEVER;
});
