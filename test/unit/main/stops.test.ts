import { expect, test } from "vitest";
import { createStops } from "../../../src/main/stops.ts";
import { createLogger } from "../../../src/platform/logger.ts";

const logger = createLogger({ level: "silent" });

test("stops parts one after the other in reverse order of their start, once", async () => {
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

test("stops all parts even if one fails and another never ends", async () => {
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
