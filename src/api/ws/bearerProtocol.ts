const PREFIX = "bearer.";

/**
 * The credential in a subprotocol `bearer.<access token or API key>`, null without one: a page cannot send an
 * `Authorization` header with a handshake.
 */
export const bearerProtocolOf = (header: string | undefined): string | null => {
  const offered = header?.split(",").map((protocol) => protocol.trim());
  return offered?.find((protocol) => protocol.startsWith(PREFIX))?.slice(PREFIX.length) ?? null;
};

/** Chooses the first subprotocol without a credential, so that the response does not repeat it. */
export const chooseProtocol = (offered: ReadonlySet<string>): string | false => {
  const all = [...offered];
  return all.find((protocol) => !protocol.startsWith(PREFIX)) ?? all[0] ?? false;
};
