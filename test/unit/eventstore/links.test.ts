import { expect, test } from "vitest";
import { readLink } from "../../../src/eventstore/read/links.ts";

const link = (data: string, type = "$>") =>
  readLink({
    id: "00000000-0000-0000-0000-000000000000",
    type,
    isJson: false,
    data: Buffer.from(data),
    metadata: new Uint8Array(),
    position: 1,
    stream: "links",
    revision: 0,
    created: "0",
  });

test.each([
  ["3@orders-1", { stream: "orders-1", revision: 3 }],
  ["0@a@b", { stream: "a@b", revision: 0 }],
  [" 2 @s", { stream: "s", revision: 2 }],
  ["-1@s", { stream: "s", revision: -1 }],
  ["-2@s", "broken"],
  ["5", "broken"],
  ["5@", "broken"],
  ["9223372036854775807@s", "broken"],
  ["9223372036854775808@s", null],
  ["x@s", null],
  ["", null],
  ["1.5@s", null],
])("%s leads to %j", (data, target) => {
  expect(link(data)).toEqual(target);
});

test("an event of another type is not a link", () => {
  expect(link("3@orders-1", "Linked")).toBeNull();
});
