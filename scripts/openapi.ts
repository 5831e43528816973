import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import openapiTypescript, { astToString, COMMENT_HEADER, type OpenAPI3 } from "openapi-typescript";
import { buildOpenApi } from "../src/api/openapi.ts";
import { operations } from "../src/api/routes/index.ts";
import { narrowings } from "./apiNarrowing.ts";

/**
 * Writes openapi.json and the types of the client from the service's own operations.
 * With `--check` it writes nothing and fails when a committed file differs, or when the API takes something away
 * from the clients of the last release (openapi.released.json, which a release writes with `--release`).
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

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const releasedFile = path.join(root, "openapi.released.json");
const released = await readFile(releasedFile, "utf8").catch(() => null);
const lost = released === null ? [] : narrowings(JSON.parse(released), document);
for (const line of lost) say(`${line}: clients of the last release would break`);

if (process.argv.includes("--release") && lost.length === 0) {
  await writeFile(releasedFile, `${JSON.stringify(document, null, 2)}\n`);
  say("openapi: wrote openapi.released.json");
}
if (stale.length > 0) {
  const names = stale.join(", ");
  if (check)
    say(`${names} differ from the service's operations: run \`npm run openapi\` and commit`);
  else say(`openapi: wrote ${names}`);
}
const failed = lost.length > 0 || (check && stale.length > 0);
if (!failed && stale.length === 0) {
  say(
    `openapi: up to date${released === null ? "; nothing was released yet" : ", and no client loses anything"}`,
  );
}
process.exit(failed ? 1 : 0);
