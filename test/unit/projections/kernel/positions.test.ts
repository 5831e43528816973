import { describe, expect, it } from "vitest";
import { createPositions } from "../../../../src/projections/kernel/positions.ts";

describe("positions", () => {
  it("end a wait at once for a passed position", async () => {
    const positions = createPositions();
    positions.advance("runs", 7n);
    expect(await positions.waitFor(["runs"], 7n, 0)).toBe(true);
  });

  it("end a wait when the last projection has passed", async () => {
    const positions = createPositions();
    positions.advance("runs", 7n);
    const waiting = positions.waitFor(["runs", "usage"], 7n, 10_000);
    positions.advance("usage", 6n);
    positions.advance("usage", 8n);
    expect(await waiting).toBe(true);
  });

  it("report a wait that timed out", async () => {
    const positions = createPositions();
    expect(await positions.waitFor(["runs"], 1n, 5)).toBe(false);
  });

  it("notify listeners of each advance until they stop, and of no step back", () => {
    const positions = createPositions();
    const seen: string[] = [];
    const stop = positions.onAdvance((name, position) => seen.push(`${name}@${position}`));
    positions.advance("runs", 2n);
    positions.advance("runs", 1n);
    stop();
    positions.advance("runs", 3n);
    expect(seen).toEqual(["runs@2"]);
  });
});
