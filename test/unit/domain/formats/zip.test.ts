import fc from "fast-check";
import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { readImportFile } from "../../../../src/domain/formats/readImportFile.ts";
import { isZip, readZip } from "../../../../src/domain/formats/zip.ts";
import { DomainError } from "../../../../src/domain/kernel/errors.ts";

const test = (name: string) => strToU8(JSON.stringify({ name, text: "Go to /" }));
const read = (bytes: Uint8Array) => readImportFile({ bytes, name: "tests.zip" });
const messageOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof DomainError && error.code === "import.unreadable") return error.message;
    throw error;
  }
  throw new Error("No error was thrown");
};

describe("readZip", () => {
  it("reads the tests of each file and reports other files by name", () => {
    const bytes = zipSync({
      "a/one.json": test("One"),
      "two.yaml": strToU8("name: Two\ntext: Go to /\n"),
      "three.feature": strToU8('Feature: F\n  Scenario: Three\n    Given I open "/"\n'),
      "half.json": strToU8('{"name": "Ha'),
      "notes.txt": strToU8("hello"),
      "latin.json": new Uint8Array([0x22, 0xe9, 0x22]),
      "__MACOSX/one.json": test("Not this"),
      "README.md": strToU8("# Tests"),
    });
    const items = read(bytes);
    expect(items.map((item) => (item.ok ? item.name : item.problem.split(":")[0]))).toEqual([
      "One",
      "Two",
      "Three",
      "half.json",
      "notes.txt",
      "latin.json",
    ]);
  });

  it.each([
    ["a path out of the archive", { "../../etc/passwd.json": test("x") }, /outside of the archive/],
    ["an absolute path", { "/etc/passwd.json": test("x") }, /outside of the archive/],
    ["a Windows path", { "..\\a.json": test("x") }, /outside of the archive/],
    ["a drive", { "C:a.json": test("x") }, /outside of the archive/],
    [
      "a link",
      { "link.json": [strToU8("/etc/passwd"), { os: 3, attrs: 0o120777 << 16 }] },
      /is a link/,
    ],
  ] as const)("skips %s and reads the other files", (_name, files, reason) => {
    const items = read(
      zipSync({ ...(files as Record<string, Uint8Array>), "good.json": test("Good") }),
    );
    expect(items.map(({ ok }) => ok)).toEqual([false, true]);
    expect(items[0]?.ok === false && items[0].problem).toMatch(reason);
  });

  it("rejects an archive that inflates to too much, whatever size it declares", () => {
    const one = zipSync({ "bomb.json": new Uint8Array(41_000_000) }, { level: 1 });
    expect(one.length).toBeLessThan(500_000);
    expect(messageOf(() => readZip(one))).toMatch(/more than 40000000 bytes/);
    // An archive that declares wrong sizes.
    const lying = one.slice();
    const view = new DataView(lying.buffer);
    for (let at = 0; at < lying.length - 4; at += 1) {
      if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, 10, true);
      if (view.getUint32(at, true) === 0x04034b50) view.setUint32(at + 22, 10, true);
    }
    expect(messageOf(() => readZip(lying))).toMatch(/more than 40000000 bytes/);
    const files = Object.fromEntries(
      Array.from({ length: 2_001 }, (_, n) => [`${n}.json`, new Uint8Array(1)]),
    );
    expect(messageOf(() => readZip(zipSync(files)))).toMatch(/more than 2000 files/);
  });

  it("reads or rejects truncated and changed archives", () => {
    const whole = zipSync({ "one.json": test("One"), "two.json": test("Two") });
    expect(messageOf(() => read(whole.slice(0, whole.length / 2)))).toMatch(/damaged/);
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, value) => {
        const bytes = whole.slice();
        bytes[at] = value;
        if (!isZip(bytes)) return;
        try {
          read(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(DomainError);
        }
      }),
    );
  });

  it("rejects bytes that are not UTF-8", () => {
    expect(messageOf(() => read(new Uint8Array([0xff, 0xfe, 0x00])))).toMatch(/UTF-8/);
  });
});
