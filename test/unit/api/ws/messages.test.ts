import { describe, expect, test } from "vitest";
import { readMessage } from "../../../../src/api/ws/messages.ts";

const RUN = "0190a000-0000-7000-8000-000000000001";
const read = (text: string) => readMessage(Buffer.from(text), false);

describe("a message to /ws/execution", () => {
  test("reads a subscription with or without a sequence number to resume after", () => {
    expect(read(JSON.stringify({ type: "subscribe", run_id: RUN, after: 3 }))).toEqual({
      message: { type: "subscribe", run_id: RUN, after: 3 },
    });
    expect(read(JSON.stringify({ type: "subscribe", run_id: RUN }))).toEqual({
      message: { type: "subscribe", run_id: RUN },
    });
  });

  test("reads a subscription of a project or an organisation with a position to resume after", () => {
    for (const subject of ["project_id", "organization_id"]) {
      const message = { type: "subscribe", [subject]: RUN, after: "9007199254740993" };
      expect(read(JSON.stringify(message))).toEqual({ message });
      const back = { type: "unsubscribe", [subject]: RUN };
      expect(read(JSON.stringify(back))).toEqual({ message: back });
    }
  });

  test.each([
    ["no JSON", "{", "not JSON"],
    ["no object", "3", "subscribe, unsubscribe or ping"],
    ["an unknown type", '{"type":"shout"}', "subscribe, unsubscribe or ping"],
    ["no type", "{}", "subscribe, unsubscribe or ping"],
    ["a run that is no id", '{"type":"subscribe","run_id":"x"}', "run_id"],
    ["a number below zero", `{"type":"subscribe","run_id":"${RUN}","after":-1}`, "after"],
    ["a position that is no text", `{"type":"subscribe","project_id":"${RUN}","after":1}`, "after"],
    ["two subjects", `{"type":"subscribe","run_id":"${RUN}","project_id":"${RUN}"}`, "project_id"],
    ["more than 4 KiB", `"${"x".repeat(5_000)}"`, "at most 4096 bytes"],
  ])("explains the error for %s", (_, text, says) => {
    const answer = read(text);
    expect(answer).toEqual({ detail: expect.stringContaining(says) });
  });

  test("explains the expected format for a binary frame", () => {
    expect(readMessage(Buffer.from("{}"), true)).toEqual({
      detail: expect.stringContaining("text"),
    });
  });
});
