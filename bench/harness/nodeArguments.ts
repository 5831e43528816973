import path from "node:path";
import { pathToFileURL } from "node:url";

const ROOT = path.resolve(import.meta.dirname, "../..");
const folderUrl = (name: string): string => `${pathToFileURL(path.join(ROOT, name)).href}/`;

const HOOKS = `const src = ${JSON.stringify(folderUrl("src"))}, dist = ${JSON.stringify(folderUrl("dist"))};
export const resolve = async (specifier, context, next) => {
  const found = await next(specifier, context);
  if (!found.url.startsWith(src)) return found;
  const file = found.url.slice(src.length).replace(/\\.ts(\\?.*)?$/, ".js");
  return { ...found, url: dist + file, format: "module" };
};`;

const moduleUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;

/**
 * Node arguments that load modules of `src` from `dist`. tsx adds a call that names each function when it is created;
 * in code that creates functions per request these calls take a quarter of the CPU, and the product has none.
 */
export const BUILT_SOURCE_ARGUMENTS: readonly string[] = [
  ...["--import", "tsx", "--no-warnings", "--import"],
  moduleUrl(
    `import { register } from "node:module"; register(${JSON.stringify(moduleUrl(HOOKS))});`,
  ),
];

/** Node arguments of the service, the same as in `npm start`. */
export const SERVICE_ARGUMENTS: readonly string[] = ["--max-semi-space-size=32"];
