import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { newId } from "../../platform/ids.ts";

const acceptable = /^[A-Za-z0-9._:-]{1,128}$/;

const given = new WeakMap<IncomingMessage, string>();

/** The caller's `X-Request-Id` where it is printable and short, else an id of ours; the same each time for one request. */
export const requestIdOf = (request: IncomingMessage): string => {
  const known = given.get(request);
  if (known !== undefined) return known;
  const sent = request.headers["x-request-id"];
  const id = typeof sent === "string" && acceptable.test(sent) ? sent : newId();
  given.set(request, id);
  return id;
};

/** The correlation id of what a request causes: its own id where that is a UUID, so that a caller can follow it through the log. */
export const correlationIdOf = (requestId: string): string =>
  uuid.safeParse(requestId).success ? requestId.toLowerCase() : newId();

/** Made once: to make a schema takes longer than all that is done with it. */
const uuid = z.uuid();
