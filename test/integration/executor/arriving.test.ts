import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BrowserPool } from "../../../src/workers/executor/browserPool.ts";
import { openPool, run, step } from "./kit.ts";

let pool: BrowserPool;
let server: Server;
let url: string;

const FORM = `<!doctype html><p>Error</p><form action="/again"><button>Save</button></form>`;
/** What comes at once, and what comes when it was waited for. */
const AGAIN = [
  `<!doctype html><title>Again</title><h1>Form</h1>${" ".repeat(2_000)}`,
  "<p>Error</p>",
];

beforeAll(async () => {
  pool = openPool();
  server = createServer(async (request, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    const isForm = request.url === "/form";
    response.write(isForm ? FORM : AGAIN[0]);
    if (!isForm) await delay(1_200);
    response.end(isForm ? "" : AGAIN[1]);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await pool.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const afterSaving = (...one: Parameters<typeof step>) => {
  const steps = [step("navigate", "", `${url}/form`), step("click", "Save"), step(...one)];
  return run(pool, steps, { timeouts: { actionMs: 3_000, assertionMs: 3_000 } });
};

describe("a page that is still loading", () => {
  test.each([
    ["assert_hidden", ""],
    ["assert_count", "0"],
  ])("fails %s for a text that arrives last", async (action, value) => {
    const ended = await afterSaving(action, "Error", value);
    expect(ended.status).toBe("failed");
    expect(ended.error).toMatch(/it is visible|there is 1/);
  });

  test("passes once the page is complete without the text", async () => {
    const ended = await afterSaving("assert_hidden", "Warning");
    expect(ended.error).toBeNull();
    expect((await afterSaving("assert_count", "Error", "1")).error).toBeNull();
  });
});
