import path from "node:path";
import { defineConfig } from "vite";

const src = (file: string): string => path.resolve(import.meta.dirname, "src", file);

/**
 * Bundles the program into dist/program, which bin/runledger.js starts: a start loads 120 modules of ours instead of 1,400.
 * Paths like `../../package.json` hold in the bundle because its files lie two levels below the root, as the
 * modules that use them do. A thread keeps the name of its module (src/platform/workerThread.ts).
 */
export default defineConfig({
  build: {
    ssr: true,
    outDir: path.resolve(import.meta.dirname, "dist/program"),
    emptyOutDir: true,
    target: "es2023",
    sourcemap: true,
    rolldownOptions: {
      input: {
        runledger: src("cli/main.ts"),
        eventStoreThread: src("eventstore/thread/eventStoreThread.ts"),
        passwordThread: src("stores/identity/passwordThread.ts"),
        importThread: src("commands/catalogue/importThread.ts"),
      },
      output: { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" },
    },
  },
  // Packages of many small ES modules. The others are CommonJS, and load from node_modules.
  ssr: { noExternal: ["jose", "kysely", "zod"] },
  logLevel: "warn",
});
