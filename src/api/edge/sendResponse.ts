import "@fastify/cookie";
import type { FastifyReply } from "fastify";
import type { Cookie, OperationResponse } from "../operation.ts";

export type CookieRules = {
  readonly sameSite: "lax" | "strict" | "none";
  /** Sent over HTTPS alone. */
  readonly secure: boolean;
};

/** Every cookie of ours is for the API alone, and out of reach of scripts. */
export const COOKIE_PATH = "/api/v1";

/** Writes a handler's answer: status, headers, cookies, `ETag` of what has a version, body. */
export const sendResponse = (
  reply: FastifyReply,
  answer: OperationResponse,
  headers: Readonly<Record<string, string>>,
  cookieRules: CookieRules,
): FastifyReply => {
  reply.code(answer.status).headers(headers);
  const version = (answer.body as { version?: unknown } | null | undefined)?.version;
  if (typeof version === "number") reply.header("etag", `"${version}"`);
  if (answer.headers) reply.headers(answer.headers);
  for (const cookie of answer.cookies ?? []) writeCookie(reply, cookie, cookieRules);
  // A bare string would go out as text: JSON is written here where no schema does it.
  if (typeof answer.body === "string" && !reply.hasHeader("content-type")) {
    return reply.type("application/json; charset=utf-8").send(JSON.stringify(answer.body));
  }
  return reply.send(answer.body);
};

const writeCookie = (reply: FastifyReply, cookie: Cookie, rules: CookieRules): void => {
  const sameSite = cookie.sameSite ?? rules.sameSite;
  const common = { path: COOKIE_PATH, httpOnly: true, secure: rules.secure, sameSite };
  if (cookie.value === null) {
    reply.clearCookie(cookie.name, common);
    return;
  }
  reply.setCookie(cookie.name, cookie.value, {
    ...common,
    ...(cookie.maxAgeSeconds === undefined ? {} : { maxAge: cookie.maxAgeSeconds }),
  });
};
