import type { Config } from "../platform/config.ts";

/** Everything that operations call: the commands and the queries of each context, wired in `src/main.ts`. */
export type Services = {
  readonly config: Config;
};
