import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { newId } from "../../platform/ids.ts";

const acceptable = /^[A-Za-z0-9._:-]{1,128}$/;

/** The caller's `X-Request-Id` where it is printable and short, else an id of ours. */
export const requestIdOf = (request: IncomingMessage): string => {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && acceptable.test(given) ? given : newId();
};

/** The correlation id of what a request causes: its own id where that is a UUID, so that a caller can follow it through the log. */
export const correlationIdOf = (requestId: string): string =>
  z.uuid().safeParse(requestId).success ? requestId.toLowerCase() : newId();
