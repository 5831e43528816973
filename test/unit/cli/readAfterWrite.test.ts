import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connect } from "../../../src/cli/service.ts";

const ID = "01a204a4-759b-7a93-a0ff-923861b47585";

describe("reads after writes of a command", () => {
  const asked: Pick<IncomingMessage, "method" | "headers">[] = [];
  let behindFor = 0;
  const server = createServer(({ method, headers }, response) => {
    asked.push({ method, headers });
    response.setHeader("content-type", "application/json");
    if (method === "POST") {
      response.setHeader("x-log-position", "42");
      response.writeHead(202).end(JSON.stringify({ run_ids: [ID], executions: [] }));
      return;
    }
    const isBehind = behindFor > 0;
    behindFor -= 1;
    if (isBehind) response.setHeader("x-read-model-lag", "true");
    if (isBehind || headers["x-min-position"] === undefined) {
      response.writeHead(404).end(JSON.stringify({ detail: "There is no run of this id." }));
      return;
    }
    response.writeHead(200).end(JSON.stringify({ id: ID, status: "passed" }));
  });
  beforeEach(async () => {
    asked.length = 0;
    await once(server.listen(0, "127.0.0.1"), "listening");
  });
  afterEach(() => once(server.close(), "close"));

  const open = () =>
    connect({
      server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      apiKey: "a key",
    });
  const queue = (service: ReturnType<typeof open>) =>
    service.ask((client, signal) =>
      client.POST("/api/v1/cli/cloud-runs", { body: { test_ids: [ID] }, signal }),
    );
  const read = (service: ReturnType<typeof open>) =>
    service.ask((client, signal) =>
      client.GET("/api/v1/cli/cloud-runs/{id}", { params: { path: { id: ID } }, signal }),
    );

  it("retries with the log position of the write while the read models lag", async () => {
    const service = open();
    await queue(service);
    behindFor = 2;
    expect((await read(service)).status).toBe("passed");
    expect(asked.map(({ method, headers }) => [method, headers["x-min-position"]])).toEqual([
      ["POST", undefined],
      ["GET", "42"],
      ["GET", "42"],
      ["GET", "42"],
    ]);
  });

  it("reports a 404 at once if nothing was written", async () => {
    await expect(read(open())).rejects.toThrow("There is no run of this id.");
    expect(asked).toHaveLength(1);
  });
});
