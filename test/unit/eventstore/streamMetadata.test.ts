import { describe, expect, test } from "vitest";
import { TOMBSTONE } from "../../../src/eventstore/records.ts";
import {
  deletedMetadata,
  isSoftDeleted,
  NO_RULES,
  readRules,
  revivedMetadata,
} from "../../../src/eventstore/streamMetadata.ts";

const read = (text: string, isJson = true) => readRules(isJson, Buffer.from(text));

describe("the rules in a stream's metadata", () => {
  test.each([
    ["all three", '{"$maxCount":5,"$maxAge":60,"$tb":7}', 5, 60_000, 7],
    ["spaces", ' { "$maxCount" : 5 , "$tb" : 7 } ', 5, Infinity, 7],
    [
      "custom properties",
      '{"a":{"$tb":3,"x":[1,{"$tb":4}]},"$tb":2,"b":"}{,"}',
      Infinity,
      Infinity,
      2,
    ],
    ["an escaped name", '{"\\u0024tb":2}', Infinity, Infinity, 2],
    ["the last of two", '{"$tb":2,"$tb":3}', Infinity, Infinity, 3],
    ["an access list", '{"$tb":1,"$acl":{"$r":"me","$w":["a","b"]}}', Infinity, Infinity, 1],
    ["zero and negative values", '{"$maxCount":0,"$maxAge":-1,"$tb":-5}', Infinity, Infinity, 0],
    ["one of them out of range", '{"$maxCount":-3,"$tb":4}', Infinity, Infinity, 4],
    [
      "a value above the safe integers",
      '{"$tb":9223372036854775806}',
      Infinity,
      Infinity,
      TOMBSTONE - 1,
    ],
    ["the largest", '{"$tb":9223372036854775807}', Infinity, Infinity, TOMBSTONE],
    ["nothing", "{}", Infinity, Infinity, 0],
  ])("%s", (_name, text, maxCount, maxAgeMs, truncateBefore) => {
    expect(read(text)).toEqual({ maxCount, maxAgeMs, truncateBefore });
  });

  test.each([
    ["invalid JSON", "tb"],
    ["truncated JSON", '{"$tb":3'],
    ["a list", "[1]"],
    ["null", "null"],
    ["a string instead of a number", '{"$maxCount":"5","$tb":3}'],
    ["a fraction", '{"$maxCount":5.0,"$tb":3}'],
    ["null for a number", '{"$tb":null,"$maxCount":3}'],
    ["a value above 64 bits", '{"$tb":9223372036854775808,"$maxCount":3}'],
    ["as JavaScript rounds the largest", `{"$tb":${2 ** 63},"$maxCount":3}`],
    ["an age above the maximum", '{"$maxAge":922337203686,"$tb":3}'],
    ["a wrong access list", '{"$acl":{"$r":5},"$tb":3}'],
    ["an unknown right", '{"$acl":{"$x":"me"},"$tb":3}'],
    ["an access list that is an array", '{"$acl":[],"$tb":3}'],
    ["a wrong $tmp", '{"$tmp":1,"$tb":3}'],
    ["empty data", ""],
  ])("are ignored with %s", (_name, text) => {
    expect(read(text)).toEqual(NO_RULES);
  });

  test("are ignored if the event is not JSON", () => {
    expect(read('{"$tb":3}', false)).toEqual(NO_RULES);
  });
});

describe("soft deletion", () => {
  test("is the largest $tb only", () => {
    expect(isSoftDeleted(readRules(true, deletedMetadata()))).toBe(true);
    expect(isSoftDeleted(read('{"$tb":9223372036854775806}'))).toBe(false);
  });

  test.each([
    ['{"$tb":9223372036854775807}', '{"$tb":3}'],
    ['{"a":1.50,"$tb":9223372036854775807,"b":{"c":[1, 2]}}', '{"a":1.50,"$tb":3,"b":{"c":[1,2]}}'],
    ['{"a":"x , y"}', '{"a":"x , y","$tb":3}'],
    ["{}", '{"$tb":3}'],
  ])("is undone by another $tb, the rest stays: %s", (before, after) => {
    expect(Buffer.from(revivedMetadata(Buffer.from(before), 3) ?? []).toString()).toBe(after);
  });

  test.each(["x", "[]", ""])("is not undone in what is no object: %s", (before) => {
    expect(revivedMetadata(Buffer.from(before), 3)).toBeNull();
  });
});
