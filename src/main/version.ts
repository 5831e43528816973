import { readFileSync } from "node:fs";

/** The release that runs, from package.json: the one place that says it. */
export const version: string = (
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  }
).version;
