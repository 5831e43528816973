import { expect, test } from "vitest";
import { createCheckpointSaver } from "../../../../src/workers/kernel/checkpointSaver.ts";

test("saves the last position at its end, and never an earlier one after a later one", async () => {
  const saved: bigint[] = [];
  const checkpoint = createCheckpointSaver(
    async (position) => {
      await new Promise((resolve) => setImmediate(resolve));
      saved.push(position);
    },
    () => undefined,
  );
  for (let position = 1n; position <= 500n; position += 1n) {
    checkpoint.handled(position);
    if (position % 50n === 0n) await new Promise((resolve) => setImmediate(resolve));
  }
  await checkpoint.close();
  expect(saved.at(-1)).toBe(500n);
  expect(saved).toEqual([...saved].sort((a, b) => Number(a - b)));
  expect(saved.length).toBeLessThan(10);
});

test("reports once that a target accepts no positions", async () => {
  let failures = 0;
  const checkpoint = createCheckpointSaver(
    () => Promise.reject(new Error("away")),
    () => {
      failures += 1;
    },
  );
  checkpoint.handled(1n);
  checkpoint.handled(2n);
  await new Promise((resolve) => setImmediate(resolve));
  checkpoint.handled(3n);
  await expect(checkpoint.close()).rejects.toThrow("away");
  expect(failures).toBe(1);
});

test("saves skipped positions at the end and with the next handled event", async () => {
  const saved: bigint[] = [];
  const checkpoint = createCheckpointSaver(
    async (position) => {
      saved.push(position);
    },
    () => undefined,
  );
  for (let position = 1n; position <= 20n; position += 1n) checkpoint.skipped(position);
  await new Promise((resolve) => setImmediate(resolve));
  expect(saved).toEqual([]);
  checkpoint.handled(21n);
  await new Promise((resolve) => setImmediate(resolve));
  expect(saved).toEqual([21n]);
  checkpoint.skipped(22n);
  await checkpoint.close();
  expect(saved).toEqual([21n, 22n]);
});
