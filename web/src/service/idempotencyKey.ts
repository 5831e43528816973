/** A key that makes the repetition of a request safe. `crypto.randomUUID` exists only on secure origins. */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
