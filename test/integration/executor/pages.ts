import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type Pages = { readonly url: string; close(): Promise<void> };

/** An answer that is no page. */
type Answer = { readonly status: number; readonly headers?: Readonly<Record<string, string>> };

/** Serves pages by path on loopback; `null` stands for a page that is never answered. */
export const servePages = async (
  pages: Readonly<Record<string, string | Answer | null>>,
): Promise<Pages> => {
  const server = createServer((request, response) => {
    const page = pages[(request.url ?? "/").split("?")[0] ?? "/"];
    if (page === null) return;
    if (typeof page === "object") {
      response.writeHead(page.status, page.headers).end(page.status === 204 ? "" : "bytes");
      return;
    }
    response.writeHead(page === undefined ? 404 : 200, {
      "content-type": "text/html; charset=utf-8",
    });
    response.end(page ?? "Not found");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
