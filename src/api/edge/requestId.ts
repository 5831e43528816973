import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { newId } from "../../platform/ids.ts";

const acceptable = /^[A-Za-z0-9._:-]{1,128}$/;

const given = new WeakMap<IncomingMessage, string>();

/** The caller's `X-Request-Id` if it is printable and short, else a new id. Repeated calls return the same id. */
export const requestIdOf = (request: IncomingMessage): string => {
  const known = given.get(request);
  if (known !== undefined) return known;
  const sent = request.headers["x-request-id"];
  const id = typeof sent === "string" && acceptable.test(sent) ? sent : newId();
  given.set(request, id);
  return id;
};

/** Correlation id for the events of a request: the request id if it is a UUID, so that callers can find the events. */
export const correlationIdOf = (requestId: string): string =>
  uuid.safeParse(requestId).success ? requestId.toLowerCase() : newId();

/** Created once: building a schema costs more than using it. */
const uuid = z.uuid();
