import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import openapiTypescript, { astToString, COMMENT_HEADER, type OpenAPI3 } from "openapi-typescript";
import { buildOpenApi } from "../src/api/openapi.ts";
import { operations } from "../src/api/routes/index.ts";

/**
 * Writes openapi.json and the types of the client from the service's own operations.
 * With `--check` it writes nothing and fails when a committed file differs.
 */
const root = path.resolve(import.meta.dirname, "..");
const document = buildOpenApi(operations);

const files: Readonly<Record<string, string>> = {
  "openapi.json": `${JSON.stringify(document, null, 2)}\n`,
  "src/client/schema.ts":
    COMMENT_HEADER + astToString(await openapiTypescript(document as unknown as OpenAPI3)),
};

const check = process.argv.includes("--check");
const stale: string[] = [];
for (const [name, content] of Object.entries(files)) {
  const file = path.join(root, name);
  const committed = await readFile(file, "utf8").catch(() => "");
  if (committed === content) continue;
  stale.push(name);
  if (!check) await writeFile(file, content);
}

if (stale.length === 0)
  process.stdout.write("openapi: openapi.json and the client are up to date\n");
else if (!check) process.stdout.write(`openapi: wrote ${stale.join(", ")}\n`);
else {
  process.stdout.write(
    `${stale.join(", ")} differ from the service's operations: run \`npm run openapi\` and commit\n`,
  );
  process.exit(1);
}
