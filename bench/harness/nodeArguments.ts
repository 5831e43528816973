import path from "node:path";
import { pathToFileURL } from "node:url";

const ROOT = path.resolve(import.meta.dirname, "../..");
const folder = (name: string): string => `${pathToFileURL(path.join(ROOT, name)).href}/`;

const HOOKS = `const src = ${JSON.stringify(folder("src"))}, dist = ${JSON.stringify(folder("dist"))};
export const resolve = async (specifier, context, next) => {
  const found = await next(specifier, context);
  if (!found.url.startsWith(src)) return found;
  const file = found.url.slice(src.length).replace(/\\.ts(\\?.*)?$/, ".js");
  return { ...found, url: dist + file, format: "module" };
};`;

const asModule = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;

/**
 * How Node is started for what is measured in its own process: what stands in src is run as it was built.
 * tsx writes a call to name it beside every function that is made, also at run time, and the product has
 * none: where functions are made by the request those calls are a quarter of the CPU.
 */
export const AS_BUILT: readonly string[] = [
  ...["--import", "tsx", "--no-warnings", "--import"],
  asModule(`import { register } from "node:module"; register(${JSON.stringify(asModule(HOOKS))});`),
];

/** What Node is told where it runs the service, as by `npm start`. */
export const AS_STARTED: readonly string[] = ["--max-semi-space-size=32"];
