import { type Helper, helpersFor } from "./scriptHelpers.ts";
import { acting } from "./typescriptActing.ts";
import { expecting } from "./typescriptExpecting.ts";
import { finding } from "./typescriptFinding.ts";

/** In the order in which they are written; a helper uses only those before it. */
const helpers: readonly Helper[] = [...finding, ...expecting, ...acting];

/** The helpers that a script in TypeScript needs. */
export const runtimeFor = (body: string): string[] => helpersFor(helpers, body);
