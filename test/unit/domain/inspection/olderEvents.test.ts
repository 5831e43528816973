import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { kinds } from "../../../../src/domain/inspection/deciders.ts";

type Stored = {
  readonly stream: string;
  readonly type: string;
  readonly schema_version: number;
  readonly data: unknown;
};

const ROOT = path.resolve(import.meta.dirname, "../../../..");
const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");

/** The first event of each type that an older release stored. */
const older: readonly Stored[] = JSON.parse(read("test/fixtures/olderEvents.json"));

describe("events stored by older releases", () => {
  it.each(older.map((event): [string, Stored] => [event.type, event]))(
    "are read and applied without loss: %s",
    (_, { stream, type, schema_version: schemaVersion, data }) => {
      const kind = kinds.get(stream);
      if (!kind) throw new Error(`Nobody knows streams of ${stream}`);
      const { codec, evolve, initial } = kind.decider;
      const event = codec.decode({ type, data, schemaVersion });
      // Stored fields are unchanged, and new fields have defaults.
      expect(event).toMatchObject({ type, data: data as object });
      expect(() => evolve(initial as never, event as never)).not.toThrow();
    },
  );

  it("have a registered decider for every stream category", () => {
    const files = readdirSync(path.join(ROOT, "src/domain"), { recursive: true, encoding: "utf8" });
    const categories = files
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => [
        ...read(path.join("src/domain", file)).matchAll(/^ {2}category: "([^"]+)"/gm),
      ])
      .map(([, category]) => category);
    expect(categories.length).toBeGreaterThan(15);
    expect(categories.filter((category) => !kinds.has(category ?? "")).sort()).toEqual([]);
  });
});
