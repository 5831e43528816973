import { createHmac, timingSafeEqual } from "node:crypto";
import { createRequire } from "node:module";
import type StripePackage from "stripe";

/** How far the time of a signature may be from now, in seconds. */
const FRESH_FOR_SECONDS = 300;
/** While a secret is changed there are two signatures; nobody sends more than a few. */
const MAX_SIGNATURES = 10;

/**
 * Whether a header `ts=<unix seconds>;h1=<hex>` signs a body: HMAC-SHA-256 of `ts:body`, over the bytes as they
 * came, no more than five minutes from now, any of several `h1`. `nowMs` in milliseconds.
 */
export const isSignedByProviderA = (
  body: Buffer,
  header: string | undefined,
  secret: string,
  nowMs: number,
): boolean => {
  const parts = (header ?? "").split(";").map((part) => part.trim());
  // Two headers come as one with a comma: which of them is meant, nobody can tell.
  if (!parts.every((part) => /^\w+=[^\s,]*$/.test(part))) return false;
  const valuesOf = (name: string): readonly string[] =>
    parts.flatMap((part) => (part.startsWith(`${name}=`) ? [part.slice(name.length + 1)] : []));
  const [ts, ...more] = valuesOf("ts");
  const signatures = valuesOf("h1");
  if (ts === undefined || more.length > 0 || !/^\d{1,12}$/.test(ts)) return false;
  if (signatures.length === 0 || signatures.length > MAX_SIGNATURES) return false;
  if (Math.abs(nowMs - Number(ts) * 1_000) > FRESH_FOR_SECONDS * 1_000) return false;
  const expected = createHmac("sha256", secret).update(`${ts}:`).update(body).digest();
  // Each is compared, so that the time does not tell which one it was.
  const matches = signatures.map((signature) => {
    if (!/^[0-9a-f]{64}$/i.test(signature)) return false;
    return timingSafeEqual(Buffer.from(signature, "hex"), expected);
  });
  return matches.includes(true);
};

/** Loaded with provider B's first event: it is large, and most services hear of none. */
const loadStripe = (): typeof StripePackage => createRequire(import.meta.url)("stripe");

/** Whether provider B signed a body, by its own package. `nowMs` in milliseconds. */
export const isSignedByProviderB = (
  body: Buffer,
  header: string | undefined,
  secret: string,
  nowMs: number,
): boolean => {
  // The package compares a signature of as many characters and more bytes, and throws something else over it.
  if (header !== undefined && !/^[ -~]*$/.test(header)) return false;
  const Stripe = loadStripe();
  try {
    const { signature } = Stripe.webhooks;
    if (!signature) throw new Error("The package of provider B verifies no signatures");
    return signature.verifyHeader(body, header ?? "", secret, FRESH_FOR_SECONDS, undefined, nowMs);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
    throw error;
  }
};
