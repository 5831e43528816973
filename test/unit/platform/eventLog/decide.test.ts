import { describe, expect, test } from "vitest";
import { decideAppend } from "../../../../src/platform/embedded/eventstore/decide.ts";
import type { Expected } from "../../../../src/platform/embedded/eventstore/records.ts";

const proposed = (id: string) => ({
  id,
  type: "T",
  isJson: true,
  data: new Uint8Array(),
  metadata: new Uint8Array(),
});

/** Decides an append of these ids on a stream that holds those. */
const decide = (held: readonly string[], expected: Expected, ids: readonly string[]) =>
  decideAppend(
    { stream: "s", expected, events: ids.map(proposed) },
    {
      head: held.length === 0 ? null : held.length - 1,
      idAt: (revision) => held[revision],
      revisionOf: (id) => (held.includes(id) ? held.lastIndexOf(id) : undefined),
    },
  );

const at = (revision: number): Expected => ({ kind: "revision", revision });
const any: Expected = { kind: "any" };
const noStream: Expected = { kind: "no_stream" };
const exists: Expected = { kind: "stream_exists" };
const write = (firstRevision: number) => ({ kind: "write", firstRevision });
const repeat = (lastRevision: number) => ({ kind: "repeat", lastRevision });
const wrong = { kind: "wrong_expected_version" };

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
