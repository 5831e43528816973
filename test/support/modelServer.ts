import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request received by a model server. */
type AskedModel = {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: { model: string; messages: { role: string; content: string }[] };
};

/** Starts a server of OpenAI's chat completions with the given responses. */
export const startModelServer = async () => {
  const asked: AskedModel[] = [];
  const server = {
    asked,
    answer: (_: AskedModel, response: ServerResponse): void => {
      response.writeHead(500).end();
    },
    url: "",
    stop: () =>
      new Promise<void>((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
  const http = createServer(async (request: IncomingMessage, response) => {
    let text = "";
    for await (const part of request) text += String(part);
    const one: AskedModel = {
      path: request.url ?? "",
      authorization: request.headers.authorization,
      body: JSON.parse(text) as AskedModel["body"],
    };
    asked.push(one);
    server.answer(one, response);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  server.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`;
  return server;
};

/** Returns a completion with this text. */
export const completes =
  (content: string) =>
  (_: AskedModel, response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content } }] }));
  };
