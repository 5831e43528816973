import {
  DeadlineExceededError,
  UnavailableError,
  WrongExpectedVersionError,
} from "@eventstore/db-client";
import { describe, expect, test } from "vitest";
import { classify } from "../../../../src/platform/eventLog/appender.ts";
import { encodeEvents } from "../../../../src/platform/eventLog/encode.ts";
import {
  AppendOutcomeUnknownError,
  LogUnavailableError,
  WrongRevisionError,
} from "../../../../src/platform/eventLog/errors.ts";
import { newId } from "../../../../src/platform/ids.ts";

const service = (code: number, details: string) =>
  Object.assign(new Error(`${code} ${details}`), { code, details, metadata: null });

const alone = { alone: true };

describe("errors of the EventStoreDB client", () => {
  test.each([
    ["no connection", service(14, "No connection established. Last error: ECONNREFUSED")],
    ["no such host", service(14, "Name resolution failed for target dns:nowhere")],
    ["a server without its database", service(14, "Nothing was written: no database")],
  ])("%s means that nothing was written", (_name, error) => {
    for (const thrown of [error, new UnavailableError(error as never)]) {
      expect(classify(thrown, "s", alone)).toBeInstanceOf(LogUnavailableError);
      // The client rejects the pending appends of all its instances with the error of one.
      expect(classify(thrown, "s", { alone: false })).toBeInstanceOf(AppendOutcomeUnknownError);
    }
  });

  test("a client disposed of before the call means that nothing was written, even if others append", () => {
    const error = new Error("Channel has been shut down");
    for (const isAlone of [true, false]) {
      expect(classify(error, "s", { alone: isAlone })).toBeInstanceOf(LogUnavailableError);
    }
  });

  test.each([
    ["a connection that broke", service(14, "Connection dropped")],
    ["a deadline", new DeadlineExceededError(service(4, "Deadline exceeded") as never)],
    ["an internal error", service(13, "Received RST_STREAM")],
  ])("%s leaves the outcome unknown", (_name, error) => {
    expect(classify(error, "s", alone)).toBeInstanceOf(AppendOutcomeUnknownError);
  });

  test("a wrong expected version names the stream", () => {
    const error = new WrongExpectedVersionError(null as never, {
      streamName: "s-1",
      current: 3n,
      expected: 1n,
    });
    expect(classify(error, "s-1", alone)).toBeInstanceOf(WrongRevisionError);
  });

  test("other errors are passed on unchanged", () => {
    const error = new TypeError("a mistake");
    expect(classify(error, "s", alone)).toBe(error);
  });
});

const textOf = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

describe("encoded events", () => {
  const event = (data: unknown) => ({ id: newId(), type: "T", data, metadata: {} as never });

  test("omit what JSON omits and share no data with the caller", () => {
    const data = { a: undefined, at: new Date(0), nested: { list: [undefined] } };
    const [encoded] = encodeEvents([event(data)]);
    data.nested.list.push(undefined);
    expect(textOf(encoded?.data)).toBe(
      '{"at":"1970-01-01T00:00:00.000Z","nested":{"list":[null]}}',
    );
  });

  test("contain JSON in the binary type that the client passes on unchanged", () => {
    const metadata = { actor: { type: "system", id: "Zoë" }, left: undefined };
    const [encoded] = encodeEvents([{ ...event("Zoë"), metadata: metadata as never }]);
    for (const bytes of [encoded?.data, encoded?.metadata]) {
      expect(bytes?.constructor).toBe(Uint8Array);
    }
    expect(textOf(encoded?.data)).toBe('"Zoë"');
    expect(textOf(encoded?.metadata)).toBe('{"actor":{"type":"system","id":"Zoë"}}');
  });

  test("keep their metadata", () => {
    const one = { $correlationId: "1" } as never;
    const other = { $correlationId: "2" } as never;
    const given = [one, one, other, one].map((metadata) => ({ ...event(1), metadata }));
    const texts = encodeEvents(given).map(({ metadata }) => textOf(metadata));
    expect(texts).toEqual(given.map(({ metadata }) => JSON.stringify(metadata)));
  });

  test("are limited in their total size", () => {
    const half = event("x".repeat(600_000));
    expect(encodeEvents([half])).toHaveLength(1);
    expect(() => encodeEvents([half, half])).toThrow("1048576 bytes at most");
  });
});
