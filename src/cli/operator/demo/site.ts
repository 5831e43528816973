import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { dirname, extname, join, normalize, sep } from "node:path";
import { CommandError, exitCodes } from "../../exitCodes.ts";

/** The site that the demo tests: a third-party application from npm. */
const PACKAGE = "cypress-example-kitchensink";

export type DemoSite = {
  readonly url: string;
  /** Package name and version. */
  readonly name: string;
  close(): Promise<void>;
};

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff": "font/woff",
  ".ttf": "font/ttf",
};

/** Serves the third-party application on an ephemeral loopback port. `/todo` is `todo.html`, as its links expect. */
export const serveDemoSite = async (): Promise<DemoSite> => {
  const manifest = findManifest();
  const folder = join(dirname(manifest), "app");
  const { version } = JSON.parse(await readFile(manifest, "utf8")) as { version: string };

  const server = createServer((request, response) => {
    void readPage(folder, request.url ?? "/").then(({ status, contentType, bytes }) => {
      response.writeHead(status, { "Content-Type": contentType, "Content-Length": bytes.length });
      response.end(request.method === "HEAD" ? undefined : bytes);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    name: `${PACKAGE} ${version}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

/** Throws CommandError (unavailable) without the package: `npm ci --omit=dev` omits development dependencies. */
const findManifest = (): string => {
  const require = createRequire(import.meta.url);
  try {
    return require.resolve("cypress-example-kitchensink/package.json");
  } catch {
    throw new CommandError(
      `The demo tests the application ${PACKAGE}, which is not installed. Install it with \`npm install --no-save ${PACKAGE}\`, or choose another site with --url.`,
      exitCodes.unavailable,
    );
  }
};

type Answer = { readonly status: number; readonly contentType: string; readonly bytes: Buffer };

const readPage = async (folder: string, address: string): Promise<Answer> => {
  const path = pathIn(folder, address);
  const candidates =
    path === null ? [] : extname(path) ? [path] : [`${path}.html`, join(path, "index.html")];
  for (const candidate of candidates) {
    const bytes = await readFile(candidate).catch(() => null);
    const contentType = CONTENT_TYPES[extname(candidate)] ?? "application/octet-stream";
    if (bytes) return { status: 200, contentType, bytes };
  }
  return { status: 404, contentType: "text/plain; charset=utf-8", bytes: Buffer.from("Not found") };
};

/** The file of a URL path; null if it is outside of the folder. */
const pathIn = (folder: string, address: string): string | null => {
  try {
    const { pathname } = new URL(address, "http://localhost");
    const path = normalize(join(folder, decodeURIComponent(pathname)));
    return path === folder || path.startsWith(folder + sep) ? path : null;
  } catch {
    return null;
  }
};
