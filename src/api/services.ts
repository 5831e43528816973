import type { Config } from "../platform/config.ts";
import type { Health } from "./routes/health.ts";

/** Everything that operations call: the commands and the queries of each context, wired in `src/main.ts`. */
export type Services = {
  readonly config: Config;
  /** How every part of the service is, by name; never rejects. */
  readonly health: () => Promise<Health>;
};
