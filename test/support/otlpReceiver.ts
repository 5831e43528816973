import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

type Value = { stringValue?: string; intValue?: number | string; boolValue?: boolean };

/** A received span. `parentSpanId` is empty for the root of a trace. */
export type SentSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
};

type Sent = {
  resourceSpans: {
    resource: { attributes: SentSpan["attributes"] };
    scopeSpans: { spans: SentSpan[] }[];
  }[];
};

/** Starts a collector of traces: OTLP over HTTP, in JSON. */
export const startOtlpReceiver = async () => {
  const bodies: string[] = [];
  const paths = new Set<string>();
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (part: string) => {
      body += part;
    });
    request.on("end", () => {
      paths.add(`${request.method} ${request.url} ${request.headers["content-type"]}`);
      bodies.push(body);
      response.setHeader("content-type", "application/json");
      response.end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const sent = () => bodies.flatMap((body) => (JSON.parse(body) as Sent).resourceSpans);
  return {
    url: `http://127.0.0.1:${port}`,
    /** Method, path and content type of each request. */
    paths,
    /** All received bodies as text. */
    text: () => bodies.join("\n"),
    spans: (): readonly SentSpan[] =>
      sent().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    resources: () => sent().map(({ resource }) => resource.attributes),
    /** Returns the ids of the spans of a process of this name. */
    sentBy: (service: string): ReadonlySet<string> =>
      new Set(
        sent()
          .filter(({ resource: { attributes } }) =>
            attributes.some(
              ({ key, value }) => key === "service.name" && value.stringValue === service,
            ),
          )
          .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
          .map(({ spanId }) => spanId),
      ),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
