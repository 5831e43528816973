import { describe, expect, it } from "vitest";
import { createBatchedWriter } from "../../../src/platform/batchedWriter.ts";

describe("batched writer", () => {
  it("writes parts that arrive within the interval in one batch, in order", async () => {
    const goes: (readonly number[])[] = [];
    const numbers = createBatchedWriter<number>(
      5,
      async (parts) => void goes.push(parts),
      () => undefined,
    );
    for (const part of [1, 2, 3]) numbers.add(part);
    expect(goes).toEqual([]);
    await expect.poll(() => goes).toEqual([[1, 2, 3]]);
    numbers.add(4);
    await expect.poll(() => goes).toEqual([[1, 2, 3], [4]]);
  });

  it("writes pending parts after the current batch on a flush, which waits for both", async () => {
    const done: number[] = [];
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const numbers = createBatchedWriter<number>(
      1,
      async (parts) => {
        await gate;
        done.push(...parts);
      },
      () => undefined,
    );
    numbers.add(1);
    const first = numbers.flush();
    numbers.add(2);
    const second = numbers.flush();
    open();
    await Promise.all([first, second]);
    expect(done).toEqual([1, 2]);
    await numbers.flush();
    expect(done).toEqual([1, 2]);
  });

  it("reports a failed batch to the flush and writes the next batch", async () => {
    const failures: unknown[] = [];
    const done: number[] = [];
    const numbers = createBatchedWriter<number>(
      1,
      async (parts) => {
        if (parts.includes(1)) throw new Error("away");
        done.push(...parts);
      },
      (error) => failures.push(error),
    );
    numbers.add(1);
    await expect(numbers.flush()).rejects.toThrow("away");
    expect(failures).toHaveLength(1);
    numbers.add(1);
    await expect.poll(() => failures.length).toBe(2);
    numbers.add(2);
    await numbers.flush();
    expect(done).toEqual([2]);
  });
});
