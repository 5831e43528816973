import { describe, expect, test } from "vitest";
import type { Expected } from "../../../src/eventstore/records.ts";
import { decideWrite } from "../../../src/eventstore/write/decide.ts";

const proposed = (id: string) => ({
  id,
  type: "T",
  isJson: true,
  data: new Uint8Array(),
  metadata: new Uint8Array(),
});

type Known = { tombstoned?: boolean; softDeleted?: boolean; hasMetadata?: boolean };

/** Decides an append of these ids on a stream that holds those; null: the stream is to be deleted. */
const decide = (
  held: readonly string[],
  expected: Expected,
  ids: readonly string[] | null,
  { tombstoned = false, softDeleted = false, hasMetadata = softDeleted }: Known = {},
) =>
  decideWrite(
    {
      stream: "s",
      expected,
      events: (ids ?? []).map(proposed),
      ...(ids === null && { deletion: "soft" }),
    },
    {
      head: held.length === 0 ? null : held.length - 1,
      tombstoned,
      softDeleted,
      hasMetadata: () => hasMetadata,
      idAt: (revision) => held[revision],
      revisionOf: (id) => (held.includes(id) ? held.lastIndexOf(id) : undefined),
    },
  );

const at = (revision: number): Expected => ({ kind: "revision", revision });
const any: Expected = { kind: "any" };
const noStream: Expected = { kind: "no_stream" };
const exists: Expected = { kind: "stream_exists" };
const write = (firstRevision: number, revives = false) => ({
  kind: "write",
  firstRevision,
  revives,
});
const repeat = (lastRevision: number) => ({ kind: "repeat", lastRevision });
const wrong = { kind: "wrong_expected_version" };
const deleted = { kind: "stream_deleted" };

describe("deciding an append", () => {
  test.each([
    ["a first event", [], noStream, ["a"], write(0)],
    ["the next event", ["a"], at(0), ["b"], write(1)],
    ["anywhere on nothing", [], any, ["a"], write(0)],
    ["anywhere", ["a"], any, ["b", "c"], write(1)],
    ["on what exists", ["a"], exists, ["b"], write(1)],
    ["on what should exist", [], exists, ["b"], wrong],
    ["too early", ["a", "b"], at(0), ["c"], wrong],
    ["too late", ["a"], at(3), ["c"], wrong],
    ["no stream where there is one", ["a"], noStream, ["b"], wrong],
    ["a repeat of the first", ["a", "b"], noStream, ["a"], repeat(0)],
    ["a repeat of all", ["a", "b"], noStream, ["a", "b"], repeat(1)],
    ["a repeat in the middle", ["a", "b", "c", "d"], at(0), ["b", "c"], repeat(2)],
    ["a repeat with more behind it", ["a"], noStream, ["a", "b"], wrong],
    ["a repeat that differs", ["a", "b"], noStream, ["a", "x"], wrong],
    ["a repeat in another order", ["a", "b"], noStream, ["b", "a"], wrong],
    ["the same id at the head", ["a"], at(0), ["a"], write(1)],
    ["a repeat anywhere", ["a", "b", "c"], any, ["b", "c"], repeat(2)],
    ["a repeat on what exists", ["a", "b", "c"], exists, ["b"], repeat(1)],
    ["a repeat anywhere that goes on", ["a"], any, ["a", "b"], wrong],
    ["nothing at the head", ["a"], at(0), [], write(1)],
    ["nothing too early", ["a", "b"], at(0), [], wrong],
    ["nothing anywhere", ["a"], any, [], write(1)],
  ] as const)("%s", (_name, held, expected, ids, decision) => {
    expect(decide(held, expected, ids)).toEqual(decision);
  });
});

describe("deciding an append to a soft-deleted stream", () => {
  test.each([
    ["anywhere goes on and revives", ["a", "b"], any, ["c"], write(2, true)],
    ["that is to be none goes on and revives", ["a", "b"], noStream, ["c"], write(2, true)],
    ["at its head goes on and revives", ["a", "b"], at(1), ["c"], write(2, true)],
    ["of nothing at its head revives", ["a"], at(0), [], write(1, true)],
    ["that is to exist is refused", ["a", "b"], exists, ["c"], deleted],
    ["too early", ["a", "b"], at(0), ["c"], wrong],
    ["of nothing, that is to be none", ["a"], noStream, [], wrong],
    ["a repeat of its first event", ["a", "b"], noStream, ["a"], repeat(0)],
    ["a repeat that goes another way", ["a", "b"], noStream, ["a", "c"], wrong],
    ["a repeat anywhere", ["a", "b"], any, ["b"], repeat(1)],
  ] as const)("%s", (_name, held, expected, ids, decision) => {
    expect(decide(held, expected, ids, { softDeleted: true })).toEqual(decision);
  });
});

describe("deciding on a stream with a tombstone", () => {
  test.each([any, noStream, exists, at(0), at(9)])("$kind: refuses as deleted", (expected) => {
    for (const ids of [["a"], ["z"], [], null]) {
      expect(decide(["a"], expected, ids, { tombstoned: true })).toEqual(deleted);
    }
  });
});

describe("deciding an append to a stream with metadata and no events", () => {
  test("treats it as existing and starts at revision 0", () => {
    expect(decide([], exists, ["a"], { hasMetadata: true })).toEqual(write(0));
    expect(decide([], noStream, ["a"], { hasMetadata: true })).toEqual(write(0));
  });
});

describe("deciding a deletion", () => {
  test.each([
    ["anything", ["a"], any, {}, write(1)],
    ["the right revision", ["a"], at(0), {}, write(1)],
    ["what exists", ["a"], exists, {}, write(1)],
    ["too early", ["a", "b"], at(0), {}, wrong],
    ["too late", ["a"], at(1), {}, wrong],
    ["no stream where there is one", ["a"], noStream, {}, wrong],
    ["no stream where there is none", [], noStream, {}, write(0)],
    ["what should exist and does not", [], exists, {}, wrong],
    ["what is deleted already", ["a"], any, { softDeleted: true }, write(1, true)],
    ["what is deleted, as none", ["a"], noStream, { softDeleted: true }, write(1, true)],
    ["what is deleted, as existing", ["a"], exists, { softDeleted: true }, deleted],
  ] as const)("%s", (_name, held, expected, known, decision) => {
    expect(decide(held, expected, null, known)).toEqual(decision);
  });
});
