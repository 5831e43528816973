import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "../..");

/**
 * Builds what `npm start` runs, and the benches too (see asBuilt.ts), so that what is measured is what stands in src. Where the compiler has
 * something to say it is on stderr; what it has made all the same is what runs.
 */
export const buildService = async (say: (message: string) => void): Promise<void> => {
  const compiler = path.join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const child = spawn(process.execPath, [compiler, "-p", "tsconfig.build.json"], {
    cwd: ROOT,
    stdio: ["ignore", process.stderr, process.stderr],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) say("The service does not compile cleanly; what was made of it is measured.");
};
