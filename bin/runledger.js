#!/usr/bin/env node
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const program = new URL("../dist/program/runledger.js", import.meta.url);

if (!existsSync(fileURLToPath(program))) {
  process.stderr.write("Runledger is not built. Run `npm ci` or `npm run build` first.\n");
  process.exit(1);
}
await import(program.href);
