import { describe, expect, it } from "vitest";
import { coalesce } from "../../../src/platform/coalesce.ts";

describe("coalesced calls", () => {
  it("run as one batch after the current one, each with its own result", async () => {
    const goes: number[][] = [];
    let release = (): void => undefined;
    const first = new Promise<void>((resolve) => {
      release = resolve;
    });
    const add = coalesce<number>(async (parts) => {
      goes.push([...parts]);
      if (goes.length === 1) await first;
      if (parts.includes(3)) throw new Error("three");
    });
    const one = add(1);
    const others = [add(2), add(3)];
    const failed = Promise.allSettled(others);
    release();
    await one;
    expect((await failed).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(goes).toEqual([[1], [2, 3]]);
    await add(4);
    await Promise.all(Array.from({ length: 450 }, (_, nth) => add(100 + nth)));
    expect(goes.slice(2).map((parts) => parts.length)).toEqual([1, 1, 200, 200, 49]);
  });

  it("run at once if alone, and as one batch within the interval", async () => {
    const goes: number[][] = [];
    const add = coalesce<number>(async (parts) => void goes.push([...parts]), 50);
    await add(1);
    const others = [add(2), add(3)];
    expect(goes).toEqual([[1]]);
    await Promise.all(others);
    expect(goes).toEqual([[1], [2, 3]]);
  });
});
