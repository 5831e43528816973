import { type Helper, helpersFor } from "../script/helpers.ts";
import { acting } from "./acting.ts";
import { dropping } from "./dropping.ts";
import { expecting } from "./expecting.ts";
import { finding } from "./finding.ts";

/** In the order in which they are written; a helper uses only those before it. */
const helpers: readonly Helper[] = [...finding, ...expecting, ...acting, ...dropping];

/** The helpers that a script in TypeScript needs. */
export const runtimeFor = (body: string): string[] => helpersFor(helpers, body);
