import type { DescribedOperation } from "./document.ts";
import { problemsOf, type Schema } from "./jsonSchema.ts";
import type { Answer } from "./send.ts";

const standing: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "x-xss-protection": "1; mode=block",
  "referrer-policy": "strict-origin-when-cross-origin",
  "cache-control": "no-store, no-cache, must-revalidate",
};

/** Words that only an internal error of the framework, runtime or database would contain. */
const LEAKS =
  /FST_ERR|HPE_|ERR_[A-Z]|at .+\.ts:\d|node_modules|SyntaxError|TypeError|ZodError|postgres|kysely|fastify|syntax error|select .+ from|ECONN/i;

/** Returns the violations of openapi.json and of the general rules by a response. Empty for a valid one. */
export const judge = (
  operation: DescribedOperation,
  answer: Answer,
  refs: (reference: string) => Schema,
): readonly string[] => {
  const { status, headers, bytes } = answer;
  const problems = Object.entries(standing)
    .filter(([name, value]) => headers[name] !== value)
    .map(([name]) => `no ${name}`);
  if (!/^[A-Za-z0-9._:-]{1,128}$/.test(String(headers["x-request-id"] ?? ""))) {
    problems.push("no X-Request-Id");
  }
  if (status >= 500) problems.push("a fault");
  const described = operation.responses[String(status)];
  if (!described) return [...problems, "a status that openapi.json does not name"];

  if (!described.content) {
    return bytes.length > 0 ? [...problems, "a body where there should be none"] : problems;
  }
  const type = String(headers["content-type"] ?? "").split(";", 1)[0] ?? "";
  const content = Object.entries(described.content).find(([named]) => fits(type, named))?.[1];
  if (!content) return [...problems, `the content type ${type}`];
  if (content.schema.format === "binary") {
    return bytes.length > 0 ? problems : [...problems, "an empty file"];
  }
  const body = parsed(bytes);
  if (body === undefined) return [...problems, "a body that is no JSON"];
  problems.push(...problemsOf(content.schema, body, refs));
  if (status >= 400) problems.push(...problemsOfError(answer, body));
  const version = (body as { version?: unknown } | null)?.version;
  if (typeof version === "number" && headers.etag !== `"${version}"`) problems.push("no ETag");
  return problems;
};

const problemsOfError = ({ status, headers }: Answer, body: unknown): readonly string[] => {
  const { detail, ...others } = body as { detail?: unknown };
  const problems: string[] = [];
  if (typeof detail !== "string" || detail.trim() === "") problems.push("no detail");
  if (Object.keys(others).length > 0) problems.push("more than a detail");
  // The response may repeat the caller's own input.
  if (status >= 500 && LEAKS.test(String(detail))) problems.push("an error that tells too much");
  if (status === 401 && !headers["www-authenticate"]) problems.push("no WWW-Authenticate");
  if (status === 503 && !headers["retry-after"]) problems.push("no Retry-After");
  if (status === 429 && !headers["retry-after"] && !headers.link) {
    problems.push("neither Retry-After nor Link");
  }
  return problems;
};

const fits = (type: string, named: string): boolean =>
  // Stored files, such as those of an execution, have exactly one content type, of any kind.
  named === "*/*"
    ? /^[\w.+-]+\/[\w.+-]+$/.test(type)
    : named.endsWith("/*")
      ? type.startsWith(named.slice(0, -1))
      : type === named;

const parsed = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
};
