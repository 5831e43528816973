import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "../..");

/**
 * Compiles `src` to `dist`, which the service and the benches load (see nodeArguments.ts).
 * Compiler errors go to stderr; the benches then run the emitted code.
 */
export const buildService = async (log: (message: string) => void): Promise<void> => {
  const compiler = path.join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const child = spawn(process.execPath, [compiler, "-p", "tsconfig.build.json"], {
    cwd: ROOT,
    stdio: ["ignore", process.stderr, process.stderr],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) log("The compiler reported errors; measuring the emitted code.");
};
