import { createHmac, timingSafeEqual } from "node:crypto";
import { createRequire } from "node:module";
import type StripePackage from "stripe";

/** The maximum age of a signature, in seconds. */
const FRESH_FOR_SECONDS = 300;
/** During a key rotation there are two signatures. More than a few are refused. */
const MAX_SIGNATURES = 10;

/**
 * Whether a header `ts=<unix seconds>;h1=<hex>` signs a body: an `h1` must be the HMAC-SHA-256 of `ts:body`, over the
 * raw bytes, and `ts` at most five minutes from now. `nowMs` in milliseconds.
 */
export const isSignedByProviderA = (
  body: Buffer,
  header: string | undefined,
  secret: string,
  nowMs: number,
): boolean => {
  const parts = (header ?? "").split(";").map((part) => part.trim());
  // Repeated headers are joined by a comma and ambiguous.
  if (!parts.every((part) => /^\w+=[^\s,]*$/.test(part))) return false;
  const valuesOf = (name: string): readonly string[] =>
    parts.flatMap((part) => (part.startsWith(`${name}=`) ? [part.slice(name.length + 1)] : []));
  const [ts, ...more] = valuesOf("ts");
  const signatures = valuesOf("h1");
  if (ts === undefined || more.length > 0 || !/^\d{1,12}$/.test(ts)) return false;
  if (signatures.length === 0 || signatures.length > MAX_SIGNATURES) return false;
  if (Math.abs(nowMs - Number(ts) * 1_000) > FRESH_FOR_SECONDS * 1_000) return false;
  const expected = createHmac("sha256", secret).update(`${ts}:`).update(body).digest();
  // Compare every signature, so that timing does not reveal the matching one.
  const matches = signatures.map((signature) => {
    if (!/^[0-9a-f]{64}$/i.test(signature)) return false;
    return timingSafeEqual(Buffer.from(signature, "hex"), expected);
  });
  return matches.includes(true);
};

/** Loads the package on first use, because it is large and many installations never need it. */
const loadStripe = (): typeof StripePackage => createRequire(import.meta.url)("stripe");

/** Whether provider B signed a body, verified by its own package. `nowMs` in milliseconds. */
export const isSignedByProviderB = (
  body: Buffer,
  header: string | undefined,
  secret: string,
  nowMs: number,
): boolean => {
  // For non-ASCII signatures the package throws another error type.
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
