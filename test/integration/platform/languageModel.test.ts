import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createLanguageModel } from "../../../src/platform/languageModel.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { completes, startModelServer } from "../../support/modelServer.ts";

let server: Awaited<ReturnType<typeof startModelServer>>;
beforeAll(async () => {
  server = await startModelServer();
});
beforeEach(() => {
  server.asked.length = 0;
});
afterAll(() => server?.stop());

const logger = createLogger({ level: "silent" });
const modelOf = (more: { apiKey?: string; timeoutMs?: number; restMs?: number } = {}) => {
  const { apiKey = null, ...limits } = more;
  const settings = { baseUrl: server.url, apiKey, model: "tiny" };
  return createLanguageModel(settings, logger, limits);
};

const HUGE = "x".repeat(1_000_000);
const refusals: readonly [string, (response: ServerResponse) => void][] = [
  ["an error", (response) => response.writeHead(500).end("{}")],
  ["a refusal", (response) => response.writeHead(401).end('{"error":{}}')],
  ["no JSON", (response) => response.end("<html>")],
  ["no choices", (response) => response.end('{"choices":[]}')],
  ["choices that are none", (response) => response.end('{"choices":{"0":1}}')],
  ["a completion without a text", (response) => response.end('{"choices":[{"message":{}}]}')],
  ["more than anybody reads", (response) => response.end(HUGE)],
  ["elsewhere", (response) => response.writeHead(302, { location: "/v1/x" }).end()],
  ["half of it", (response) => response.writeHead(200, { "content-length": "99" }).end("{")],
];

describe("language model client", () => {
  it("sends model, key and texts and returns the answer", async () => {
    server.answer = completes("hello");
    expect(await modelOf({ apiKey: "k-1" }).ask("Be brief.", "Hi?")).toBe("hello");
    expect(server.asked).toMatchObject([
      {
        path: "/v1/chat/completions",
        authorization: "Bearer k-1",
        body: {
          model: "tiny",
          messages: [
            { role: "system", content: "Be brief." },
            { role: "user", content: "Hi?" },
          ],
        },
      },
    ]);
  });

  it.each(refusals)("returns nothing for %s and does not throw", async (_, reply) => {
    server.answer = (_, response) => reply(response);
    expect(await modelOf().ask("a", "b")).toBeNull();
  });

  it("returns nothing after the time-out", async () => {
    server.answer = () => {};
    expect(await modelOf({ timeoutMs: 50 }).ask("a", "b")).toBeNull();
  });

  it("returns nothing for an unreachable server", async () => {
    const settings = { baseUrl: "http://127.0.0.1:1/v1", apiKey: null, model: "tiny" };
    expect(await createLanguageModel(settings, logger).ask("a", "b")).toBeNull();
  });

  it("pauses after three failures in a row", async () => {
    server.answer = (_, response) => response.writeHead(500).end();
    const model = modelOf({ restMs: 1_000 });
    for (let times = 0; times < 5; times++) expect(await model.ask("a", "b")).toBeNull();
    expect(server.asked).toHaveLength(3);
    server.answer = completes("again");
    await expect.poll(() => model.ask("a", "b")).toBe("again");
  });

  it("limits concurrent requests to four and answers others with nothing", async () => {
    const waiting: ServerResponse[] = [];
    server.answer = (_, response) => waiting.push(response);
    const model = modelOf();
    const questions = Array.from({ length: 10 }, () => model.ask("a", "b"));
    await expect.poll(() => waiting.length).toBe(4);
    for (const response of waiting) response.end('{"choices":[{"message":{"content":"x"}}]}');
    const answers = await Promise.all(questions);
    expect(answers.filter((one) => one === "x")).toHaveLength(4);
    expect(server.asked).toHaveLength(4);
  });
});
