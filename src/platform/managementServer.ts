import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The phase of a process. `draining`: it is stopping and accepts no new work. */
export type Phase = "starting" | "running" | "draining";

export type ManagementServer = {
  /** `http://host:port`. */
  readonly url: string;
  close(): Promise<void>;
};

/** The time limit of a request in milliseconds. */
const TIMEOUT_MS = 8_000;

type ManagementOptions = {
  /** The metrics in the Prometheus text format. */
  readonly metrics: () => Promise<string>;
  readonly phase: () => Phase;
  /** Why the process is not ready; null if it is. */
  readonly trouble: () => Promise<string | null>;
};

/**
 * Serves `/metrics`, `/health/live` and `/health/ready` on a port of its own, for a process of any role, from
 * the beginning of its start to the end of its stop. Rejects if the port is in use.
 */
export const startManagementServer = (
  options: ManagementOptions & { readonly host: string; readonly port: number },
): Promise<ManagementServer> => {
  const server = createServer({ requestTimeout: TIMEOUT_MS }, (request, response) => {
    const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
    const timer = setTimeout(
      () => json(response, 503, { detail: "The request timed out." }),
      TIMEOUT_MS,
    );
    answer(options, request.method ?? "", path, response)
      .catch(() => json(response, 500, { detail: "The request failed." }))
      .finally(() => clearTimeout(timer));
    // Discard the request body.
    request.resume();
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, () => {
      const { address, family, port: bound } = server.address() as AddressInfo;
      const shown = family === "IPv6" ? `[${address}]` : address;
      resolve({
        url: `http://${shown}:${bound}`,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeAllConnections();
          }),
      });
    });
  });
};

const answer = async (
  options: ManagementOptions,
  method: string,
  path: string,
  response: ServerResponse,
): Promise<void> => {
  if (method !== "GET" && method !== "HEAD") {
    response.setHeader("allow", "GET, HEAD");
    return json(response, 405, { detail: "Only GET and HEAD are supported." });
  }
  switch (path) {
    case "/metrics": {
      const text = await options.metrics();
      response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
      response.end(text);
      return;
    }
    case "/health/live":
      return json(response, 200, { status: "live" });
    case "/health/ready": {
      const { status, body } = await readiness(options);
      return json(response, status, body);
    }
    default:
      return json(response, 404, {
        detail: "Not found. Available: /metrics, /health/live, /health/ready.",
      });
  }
};

const readiness = async ({
  phase,
  trouble,
}: ManagementOptions): Promise<{ status: number; body: object }> => {
  if (phase() !== "running") return notReady(`Not ready: the service is ${phase()}.`);
  const wrong = await trouble();
  return wrong === null
    ? { status: 200, body: { status: "ready" } }
    : notReady(`Not ready: ${wrong}.`);
};

const notReady = (detail: string) => ({ status: 503, body: { detail } });

const json = (response: ServerResponse, status: number, body: object): void => {
  if (response.headersSent) return;
  if (status === 503) response.setHeader("retry-after", "1");
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
  });
  response.end(JSON.stringify(body));
};
