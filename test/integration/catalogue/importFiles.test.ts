import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { readImportFile } from "../../../src/commands/catalogue/importFiles.ts";

const testFile = (name: string) => strToU8(JSON.stringify({ name, text: "Go to /" }));

describe("reading an import file in a thread", () => {
  it("reads archives while this thread goes on", async () => {
    const names = Array.from({ length: 5 }, (_, n) => `Test ${n}`);
    let turns = 0;
    const turning = setInterval(() => {
      turns += 1;
    }, 1);
    const read = names.map((name) =>
      readImportFile({ bytes: zipSync({ "one.json": testFile(name) }), name: "tests.zip" }),
    );
    const items = await Promise.all(read);
    clearInterval(turning);
    expect(items.map(([item]) => item?.name)).toEqual(names);
    expect(turns).toBeGreaterThan(5);
  });

  it("refuses an archive that inflates without end, and reads the next one", async () => {
    const bomb = zipSync({ "bomb.json": new Uint8Array(60_000_000) });
    const read = (bytes: Uint8Array) => readImportFile({ bytes, name: "tests.zip" });
    const refused = { code: "import.unreadable", message: expect.stringContaining("inflates") };
    await expect(read(bomb)).rejects.toMatchObject(refused);
    expect(await read(zipSync({ "one.json": testFile("One") }))).toMatchObject([{ name: "One" }]);
  });

  it("reads a large file as a small one", async () => {
    const many = Array.from({ length: 900 }, (_, n) => ({
      name: `Test ${n}`,
      text: `Go to /${"a".repeat(300)}`,
    }));
    const bytes = strToU8(JSON.stringify(many));
    const items = await readImportFile({ bytes, name: "tests.json" });
    expect(items.map(({ name }) => name)).toEqual(many.map(({ name }) => name));
  });
});
