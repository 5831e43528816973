import { chromium } from "playwright";
import { expect, test, vi } from "vitest";
import { openPool, run, step } from "./kit.ts";
import { servePages } from "./pages.ts";

/** Playwright's own, as far as a message passes through it. */
type Connection = {
  dispatch(message: object): void;
  _callbacks: Map<number, unknown>;
};

test("a late response about a closed page fails the call and keeps the process alive", async () => {
  const site = await servePages({ "/": "<h1>Shop</h1>" });
  const pool = openPool();
  const visit = () => run(pool, [step("navigate", "", "/")], { baseUrl: site.url });
  expect((await visit()).error).toBeNull();
  const { _connection: connection } = chromium as unknown as { _connection: Connection };
  const gone = { response: { guid: "response@gone" } };
  expect(() =>
    connection.dispatch({ guid: "page@gone", method: "close", params: gone }),
  ).not.toThrow();
  const failed = vi.fn();
  const type = "Frame";
  connection._callbacks.set(-1, { resolve: vi.fn(), reject: failed, type, method: "goto" });
  expect(() => connection.dispatch({ id: -1, result: gone })).not.toThrow();
  expect(failed).toHaveBeenCalledWith(
    expect.objectContaining({ message: expect.stringContaining("response@gone") }),
  );
  // What is there is answered as ever.
  expect((await visit()).error).toBeNull();
  await pool.close();
  await site.close();
});
