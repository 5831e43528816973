import { expect, test } from "vitest";
import { createStops } from "../../../src/main/stops.ts";
import { createLogger } from "../../../src/platform/logger.ts";

const logger = createLogger({ level: "silent" });

test("given parts that depend on each other, when all are stopped, then the newest is first, each waits for the one before, and none is stopped twice", async () => {
  const stops = createStops(logger);
  const said: string[] = [];
  stops.add("database", async () => said.push("database"));
  stops.add("log", async () => {
    said.push("log begins");
    await new Promise((resolve) => setImmediate(resolve));
    said.push("log");
  });
  await Promise.all([stops.all(), stops.all()]);
  await stops.all();
  expect(said).toEqual(["log begins", "log", "database"]);
});

test("given a part that fails and one that never ends, when all are stopped, then the others are stopped all the same", async () => {
  const stops = createStops(logger);
  const said: string[] = [];
  stops.add("database", async () => said.push("database"));
  stops.add("log", () => new Promise(() => undefined), 10);
  stops.add("bus", async () => {
    throw new Error("no");
  });
  await stops.all();
  expect(said).toEqual(["database"]);
});
