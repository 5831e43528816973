import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";

/**
 * An `onSend` hook that tags a list with the hash of its content, and responds 304 if the client has it already
 * (RFC 9110, 13.1.2).
 */
export const tagContent = async (
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> => {
  if (reply.statusCode !== 200 || typeof payload !== "string") return payload;
  const tag = entityTagOf(payload);
  reply.header("etag", tag);
  if (!matches(request.headers["if-none-match"], tag)) return payload;
  reply.code(304).removeHeader("content-type");
  return "";
};

/** A weak entity tag: compression changes the bytes, not the content. */
export const entityTagOf = (content: string): string =>
  `W/"${createHash("sha1").update(content).digest("base64url")}"`;

/** Whether `If-None-Match` contains the tag, compared weakly, or `*`. */
export const matches = (header: string | undefined, tag: string): boolean =>
  (header?.split(",") ?? []).some((each) => {
    const sent = each.trim();
    return sent === "*" || sent.replace(/^W\//, "") === tag.replace(/^W\//, "");
  });
