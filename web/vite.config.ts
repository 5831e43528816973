import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

const compress = promisify(brotliCompress);
const TEXT = /\.(html|js|css|svg)$/;

/** Writes `file.br` beside each text file of the build, so that the service compresses nothing at run time. */
const precompress = (folder: string): Plugin => ({
  name: "precompress",
  apply: "build",
  closeBundle: async () => {
    const files = await readdir(folder, { recursive: true });
    await Promise.all(
      files
        .filter((file) => TEXT.test(file))
        .map(async (file) => {
          const bytes = await readFile(path.join(folder, file));
          const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
          await writeFile(path.join(folder, `${file}.br`), await compress(bytes, { params }));
        }),
    );
  },
});

const outDir = path.resolve(import.meta.dirname, "../dist/web");

/** Builds the console into dist/web. `npm run dev:web` serves the sources and passes API calls on to a local service. */
export default defineConfig({
  root: import.meta.dirname,
  // Fonts and pictures stay files of their own: the page's policy allows no data: addresses.
  build: {
    outDir,
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: "es2022",
    rolldownOptions: {
      // Components of libraries say "use client", which concerns only servers that render them.
      onwarn: (warning, report) => {
        if (warning.code !== "MODULE_LEVEL_DIRECTIVE") report(warning);
      },
    },
  },
  // A build of `npm ci` reports only problems.
  logLevel: "warn",
  plugins: [precompress(outDir)],
  server: { proxy: { "/api": { target: "http://127.0.0.1:3000", ws: true } } },
});
