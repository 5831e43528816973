import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import openapiTypescript, { astToString, COMMENT_HEADER, type OpenAPI3 } from "openapi-typescript";
import { createResolvers } from "../src/api/graphql/resolvers.ts";
import { buildAsyncApi } from "../src/api/openapi/asyncApi.ts";
import { buildOpenApi } from "../src/api/openapi/index.ts";
import { operations } from "../src/api/routes/index.ts";
import type { Services } from "../src/api/services.ts";
import type { Logger } from "../src/platform/logger.ts";
import { narrowings } from "./apiNarrowing.ts";
import { problemsOfBaseline, releaseOf, whyNoRelease } from "./apiRelease.ts";

/**
 * Writes openapi.json, asyncapi.json, schema.graphql and the types of the client from the service's own operations.
 * With `--check` it writes nothing and fails when a committed file differs, or when the API takes something away
 * from the clients of the last release (openapi.released.json). With `--release` it writes that file for the version
 * in package.json, once for each version and only when no client loses anything.
 */
const root = path.resolve(import.meta.dirname, "..");
const document = buildOpenApi(operations);
const { version } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
const [check, release] = ["--check", "--release"].map((flag) => process.argv.includes(flag));

const schemas = (document.components as { schemas: Record<string, { description?: string }> })
  .schemas;
const namedTypes = Object.entries(schemas).map(
  ([name, { description }]) =>
    `${description ? `/** ${description} */\n` : ""}export type ${name} = components["schemas"]["${name}"];\n`,
);
const noServices = {} as Services;
const noLogger = {} as Logger;

const files: Readonly<Record<string, string>> = {
  "schema.graphql": createResolvers(noServices, noLogger).schema,
  "src/client/types.ts": `${COMMENT_HEADER}import type { components } from "./schema.ts";\n\n${namedTypes.join("\n")}`,
  "openapi.json": openApiText(document),
  "asyncapi.json": `${JSON.stringify(buildAsyncApi(), null, 1)}\n`,
  "src/client/schema.ts":
    COMMENT_HEADER +
    astToString(
      // A client may leave out a field that has a default.
      await openapiTypescript(document as unknown as OpenAPI3, { defaultNonNullable: false }),
    ),
};

/** A line for each operation and each component: short, and a change shows as the lines that it concerns. */
function openApiText(openapi: Record<string, unknown>): string {
  const { paths, components, ...rest } = openapi as Record<string, Record<string, object>>;
  const block = (value: object, depth: number): string => {
    const pad = " ".repeat(depth);
    if (depth > 2) return JSON.stringify(value);
    const lines = Object.entries(value).map(
      ([key, inner]) => `${pad} ${JSON.stringify(key)}: ${block(inner, depth + 1)}`,
    );
    return `{\n${lines.join(",\n")}\n${pad}}`;
  };
  const head = Object.entries(rest).map(
    ([key, value]) => ` ${JSON.stringify(key)}: ${JSON.stringify(value)}`,
  );
  const body = Object.entries({ paths, components }).map(
    ([key, value]) => ` ${JSON.stringify(key)}: ${block(value ?? {}, 1)}`,
  );
  return `{\n${[...head, ...body].join(",\n")}\n}\n`;
}

const stale: string[] = [];
for (const [name, content] of Object.entries(files)) {
  const file = path.join(root, name);
  const committed = await readFile(file, "utf8").catch(() => "");
  if (committed === content) continue;
  stale.push(name);
  if (!check) await writeFile(file, content);
}

const releasedFile = path.join(root, "openapi.released.json");
const text = await readFile(releasedFile, "utf8").catch(() => null);
const released = text === null ? null : JSON.parse(text);

const problems = [
  ...(released === null ? [] : narrowings(released, document)).map(
    (line) => `${line}: clients of the last release would break`,
  ),
  ...(check ? problemsOfBaseline(released, version) : []),
  ...(check && stale.length > 0
    ? [
        `${stale.join(", ")} differ from the service's operations: run \`npm run openapi\` and commit`,
      ]
    : []),
];
if (release && problems.length === 0) {
  const why = whyNoRelease(released, version);
  if (why !== null) problems.push(why);
  else await writeFile(releasedFile, `${JSON.stringify(releaseOf(document, version), null, 2)}\n`);
}

const done = release
  ? `openapi: ${version} is the baseline of later changes`
  : stale.length > 0
    ? `openapi: wrote ${stale.join(", ")}`
    : "openapi: up to date, and no client loses anything";
process.stdout.write(`${(problems.length > 0 ? problems : [done]).join("\n")}\n`);
process.exit(problems.length > 0 ? 1 : 0);
