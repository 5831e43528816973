import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a process is about. `draining`: it was told to end and takes no more. */
export type Phase = "starting" | "running" | "draining";

export type ManagementServer = {
  /** Where it listens, `http://host:port`. */
  readonly url: string;
  close(): Promise<void>;
};

/** A question that takes longer than this is given up, in milliseconds: who asks is a machine, which asks again. */
const PATIENCE_MS = 8_000;

/**
 * Listens apart from the service, for those who look after it: `/metrics`, `/health/live`, `/health/ready`, for
 * a process of any role, from the beginning of its start to the end of its stop. Rejects when the port is taken.
 */
export const startManagementServer = (options: {
  readonly host: string;
  readonly port: number;
  /** The text of all metrics. */
  readonly metrics: () => Promise<string>;
  readonly phase: () => Phase;
  /** What is wrong with the parts, in few words; null when each is ready. */
  readonly trouble: () => Promise<string | null>;
}): Promise<ManagementServer> => {
  const { host, port, metrics, phase, trouble } = options;

  const readiness = async (): Promise<{ status: number; body: object }> => {
    if (phase() !== "running") return notReady(`Not ready: the service is ${phase()}.`);
    const wrong = await trouble();
    return wrong === null
      ? { status: 200, body: { status: "ready" } }
      : notReady(`Not ready: ${wrong}.`);
  };
  const answer = async (method: string, path: string, response: ServerResponse): Promise<void> => {
    if (method !== "GET" && method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      return json(response, 405, { detail: "Only GET and HEAD are understood here." });
    }
    switch (path) {
      case "/metrics": {
        const text = await metrics();
        response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
        response.end(text);
        return;
      }
      case "/health/live":
        return json(response, 200, { status: "live" });
      case "/health/ready": {
        const { status, body } = await readiness();
        return json(response, status, body);
      }
      default:
        return json(response, 404, {
          detail: "There is /metrics, /health/live and /health/ready here.",
        });
    }
  };

  const server = createServer({ requestTimeout: PATIENCE_MS }, (request, response) => {
    const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
    const late = setTimeout(
      () => json(response, 503, { detail: "It took too long." }),
      PATIENCE_MS,
    );
    answer(request.method ?? "", path, response)
      .catch(() => json(response, 500, { detail: "It could not be answered." }))
      .finally(() => clearTimeout(late));
    // Nothing that is sent with a question matters.
    request.resume();
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
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
