import "@fastify/cookie";
import type { FastifyReply } from "fastify";
import type { Cookie, OperationResponse } from "../operation.ts";

export type CookieRules = {
  readonly sameSite: "lax" | "strict" | "none";
  /** Sent over HTTPS only. */
  readonly secure: boolean;
};

/** Path of all cookies. */
export const COOKIE_PATH = "/api/v1";

/** Sends a response: status, headers, cookies, `ETag` if the body has a version, body. */
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
  // Fastify would send a string as text. Without a schema, it is serialised here.
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
