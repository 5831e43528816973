import { cp, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";

/**
 * Writes the package for CI and API clients into `dist/package-client`: the client commands and the typed client, with
 * the built files that they import. It has no native code, browser or service. `npm run build` must have run.
 */
const root = path.resolve(import.meta.dirname, "..");
const dist = path.join(root, "dist");
const target = path.join(dist, "package-client");
const ENTRIES = ["cli/clientMain.js", "client/client.js"];
const IMPORT =
  /^(?:import|export)\s+(?:[\w*{}\s,$]+\sfrom\s*)?"([^"\n]+)"|\bimport\("([^"\n]+)"\)/gm;

const { name, version, description, license, engines, dependencies } = JSON.parse(
  await readFile(path.join(root, "package.json"), "utf8"),
);

const files = new Set<string>();
const packages = new Set<string>();

/** Collects a built file and everything that it imports, statically or on first use. */
const collect = async (file: string): Promise<void> => {
  if (files.has(file)) return;
  files.add(file);
  const text = await readFile(path.join(dist, file), "utf8");
  for (const [, whole, lazy] of text.matchAll(IMPORT)) {
    const wanted = whole ?? lazy ?? "";
    if (wanted.startsWith("node:")) continue;
    if (wanted.startsWith(".")) await collect(path.join(path.dirname(file), wanted));
    else
      packages.add(
        wanted
          .split("/")
          .slice(0, wanted.startsWith("@") ? 2 : 1)
          .join("/"),
      );
  }
};

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

for (const entry of ENTRIES) await collect(entry);
/** Packages with native code or of the service must not be reachable. */
const ALLOWED = ["commander", "openapi-fetch", "yaml", "zod"];
const unexpected = [...packages].filter((one) => !ALLOWED.includes(one));
if (unexpected.length > 0) {
  throw new Error(`The client package must not depend on ${unexpected.join(", ")}.`);
}

await rm(target, { recursive: true, force: true });
for (const file of files) {
  const typings = file.replace(/\.js$/, ".d.ts");
  const wanted = file.startsWith("client/") ? [file, typings] : [file];
  for (const one of wanted) {
    await mkdir(path.dirname(path.join(target, "dist", one)), { recursive: true });
    await cp(path.join(dist, one), path.join(target, "dist", one));
  }
}
// The types of the client have no JavaScript that another file imports.
for (const one of ["client/schema.d.ts", "client/types.d.ts"]) {
  if (await exists(path.join(dist, one))) {
    await cp(path.join(dist, one), path.join(target, "dist", one));
  }
}
await mkdir(path.join(target, "bin"));
await writeFile(
  path.join(target, "bin/runledger.js"),
  '#!/usr/bin/env node\nimport "../dist/cli/clientMain.js";\n',
  { mode: 0o755 },
);
await cp(path.join(root, "LICENSE"), path.join(target, "LICENSE"));
await cp(path.join(root, "docs/ci/client-package.md"), path.join(target, "README.md"));
const manifest = {
  name: `${name}-cli`,
  version,
  description: `Client commands and typed API client of ${name}: ${description}`,
  license,
  type: "module",
  engines,
  bin: { runledger: "bin/runledger.js" },
  exports: {
    "./client": { types: "./dist/client/client.d.ts", default: "./dist/client/client.js" },
    "./package.json": "./package.json",
  },
  files: ["bin", "dist"],
  dependencies: Object.fromEntries([...packages].sort().map((one) => [one, dependencies[one]])),
  publishConfig: { access: "public", provenance: true },
};
await writeFile(path.join(target, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
process.stdout.write(`client package: ${files.size} files in dist/package-client\n`);
