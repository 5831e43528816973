import { describe, expect, it } from "vitest";
import { createProblems } from "../../../../src/workers/executor/problems.ts";

describe("the problems of pages", () => {
  it("are those since the last act, without noise and without queries of addresses", () => {
    const problems = createProblems();
    problems.threw("Error: before the act");
    problems.restart();
    expect(problems.sinceRestart()).toBeNull();
    problems.said("warning", "only a warning");
    problems.said("error", "Failed to load resource: the server responded with a status of 500");
    problems.said("error", "the cart is broken");
    const url = "https://shop.example/cart?token=t#top";
    problems.failed({ method: "GET", url, status: 500, error: null });
    problems.failed({ method: "GET", url, status: null, error: "net::ERR_ABORTED" });
    expect(problems.sinceRestart()).toEqual({
      logged: ["the cart is broken"],
      exceptions: [],
      requests: [{ method: "GET", url: "https://shop.example/cart", status: 500, error: null }],
      more: 0,
    });
  });

  it("keep the newest of each kind, and count the others", () => {
    const problems = createProblems();
    for (let n = 1; n <= 7; n += 1) problems.threw(`Error ${n}`);
    expect(problems.sinceRestart()).toMatchObject({
      exceptions: ["Error 3", "Error 4", "Error 5", "Error 6", "Error 7"],
      more: 2,
    });
  });
});
