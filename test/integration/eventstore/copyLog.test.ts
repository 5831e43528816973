import { EventStoreDBClient, jsonEvent } from "@eventstore/db-client";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { compareLogs, copyLog, LogsDifferError } from "../../../src/platform/eventLog/copyLog.ts";
import { openRawLog, type RawEvent, type RawLog } from "../../../src/platform/eventLog/rawLog.ts";
import { newId } from "../../../src/platform/ids.ts";
import { startTestLog, type TestLog } from "../../support/log.ts";
import { collect } from "./support.ts";

/** The content of a log as a copy must have it. */
describe("copying a log", () => {
  let from: TestLog;
  let to: TestLog;
  let client: EventStoreDBClient;
  let source: RawLog;
  let target: RawLog;

  const open = async () => {
    [from, to] = await Promise.all([startTestLog(), startTestLog()]);
    client = EventStoreDBClient.connectionString(from.logUrl);
    [source, target] = [openRawLog(from.logUrl), openRawLog(to.logUrl)];
  };
  const close = async () => {
    await Promise.all([client.dispose(), source.close(), target.close()]);
    await Promise.all([from.stop(), to.stop()]);
  };
  const everything = () => source.readAll({ after: null });
  const bytes = (text: string) => Buffer.from(text);
  const raw = (stream: string, revision: number, over: Partial<RawEvent> = {}): RawEvent => ({
    ...{ position: 0n, stream, revision: BigInt(revision), id: newId(), type: "Happened" },
    ...{ isJson: true, created: "0", data: bytes(`{"n":${revision}}`), metadata: bytes("{}") },
    ...over,
  });
  const told = ({ created: _, ...event }: RawEvent) => ({
    ...event,
    data: Buffer.from(event.data).toString("latin1"),
    metadata: Buffer.from(event.metadata).toString("latin1"),
  });
  const refusal = async (work: Promise<unknown>): Promise<string> => {
    const error = await work.then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(LogsDifferError);
    return (error as Error).message;
  };

  describe("with every kind of content", () => {
    beforeAll(open);
    afterAll(close);

    it("preserves ids, bytes, revisions, order and the visible part of each stream", async () => {
      const odd = [
        raw("odd", 0, { isJson: false, data: Buffer.from([0, 255, 10, 13]), metadata: bytes("") }),
        raw("odd", 1, { data: bytes(`{"b":1.0,"a":9223372036854775807, "a":2}`) }),
        raw("odd", 2, { data: bytes(`"\\u0000"`), type: "Ein Typ – mit Strich" }),
      ];
      await source.append("odd", odd);
      await source.append("name 'with\" signs/ü", [raw("name 'with\" signs/ü", 0)]);
      await source.append("hidden", [raw("hidden", 0), raw("hidden", 1)]);
      await source.softDelete("hidden");
      await source.append("hidden", [raw("hidden", 2), raw("hidden", 3)]);
      await source.append("hidden", [raw("hidden", 4)]);
      await source.softDelete("hidden");
      await client.setStreamMetadata("hidden", { maxCount: 7 } as never);
      await source.append("gone", [raw("gone", 0)]);
      await source.softDelete("gone");
      await source.append("ended", [raw("ended", 0)]);
      await source.tombstone("ended");
      await client.setStreamMetadata("kept", { maxCount: 2, custom: "x" } as never);
      for (const n of [0, 1, 2]) await source.append("kept", [raw("kept", n)]);
      // A server's own.
      await client.appendToStream("$stats-1", jsonEvent({ type: "$statistics", data: {} }));

      await copyLog(everything, target, { atOnce: 8 });

      const pairs: [bigint, bigint][] = [];
      const equal = await compareLogs(everything, target, {
        onPair: ({ position }, there) => pairs.push([position, there]),
      });
      const [before, after] = [
        await collect(everything()),
        await collect(target.readAll({ after: null })),
      ];
      expect(equal).toBe(before.length - 1);
      expect(pairs.map(([, there]) => there)).toEqual(after.map(({ position }) => position));
      const byUs = (events: RawEvent[]) =>
        events.filter(({ type }) => !type.startsWith("$")).map(told);
      expect(byUs(after)).toEqual(byUs(before));
      const elsewhere = EventStoreDBClient.connectionString(to.logUrl);
      const shown = async (of: EventStoreDBClient, stream: string) => {
        try {
          const events = [];
          for await (const { event } of of.readStream(stream)) {
            events.push([event?.id, event?.revision, event?.type, event?.data]);
          }
          return events;
        } catch (error) {
          return (error as Error).constructor.name;
        }
      };
      for (const stream of ["odd", "hidden", "gone", "ended", "kept", "none"]) {
        expect([stream, await shown(elsewhere, stream)]).toEqual([
          stream,
          await shown(client, stream),
        ]);
      }
      expect(await shown(client, "gone")).toBe("StreamNotFoundError");
      expect(await shown(client, "ended")).toBe("StreamDeletedError");
      expect((await shown(client, "kept")).length).toBe(2);
      await elsewhere.dispose();
      // Once more: nothing is left to do.
      await copyLog(everything, target, { atOnce: 8 });
      expect(await target.head()).toBe(after.at(-1)?.position);
    });
  });

  describe("with any content", () => {
    beforeEach(open);

    it("resumes after any interruption and names any difference", async () => {
      const streams = ["a", "b", "c"];
      const doing = fc.record({
        stream: fc.constantFrom(...streams),
        what: fc.constantFrom("append", "append", "append", "delete", "rules"),
        count: fc.integer({ min: 1, max: 3 }),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(doing, { minLength: 1, maxLength: 8 }),
          fc.nat(6),
          async (all, cutAfter) => {
            for (const { stream, what, count } of all) {
              if (what === "append") {
                const events = Array.from({ length: count }, (_, n) =>
                  jsonEvent({ type: "Happened", data: { n } }),
                );
                await client.appendToStream(stream, events);
              } else if (what === "rules") {
                await client.setStreamMetadata(stream, { maxCount: count } as never);
              } else await client.deleteStream(stream).catch(() => undefined);
            }
            const total = (await collect(everything())).length;
            const dies = new Error("killed");
            let left = cutAfter;
            const mortal = (work: () => Promise<void>) =>
              left-- > 0 ? work() : Promise.reject(dies);
            const cut = copyLog(
              everything,
              {
                ...target,
                append: (stream, events) => mortal(() => target.append(stream, events)),
                softDelete: (stream) => mortal(() => target.softDelete(stream)),
              },
              { atOnce: 1 },
            );
            await cut.catch((error: unknown) => expect(error).toBe(dies));
            await copyLog(everything, target, { atOnce: 1 });
            expect(await compareLogs(everything, target)).toBe(total);
          },
        ),
        { numRuns: 12 },
      );

      await source.append("z", [raw("z", 0), raw("z", 1)]);
      const [first, second] = (await collect(everything())).slice(-2);
      expect(await refusal(compareLogs(everything, target))).toBe(
        `The target ends before Happened ${first?.id}, revision 0 of z.`,
      );
      await target.append("z", [raw("z", 0, { id: first?.id ?? "" }), raw("z", 1)]);
      const said = await refusal(copyLog(everything, target, { atOnce: 1 }));
      expect(said).toContain("differs in its id: expected");
      expect(said).toContain(`${second?.id}, revision 1 of z`);
      await source.append("y", [raw("y", 0)]);
      await close();
    });

    it("refuses a target that contains other or more events", async () => {
      await source.append("a", [raw("a", 0)]);
      await target.append("b", [raw("b", 0)]);
      const said = await refusal(copyLog(everything, target, { atOnce: 1 }));
      expect(said).toContain("Event 1 differs in its stream");
      expect(await target.head()).toBe(1n);
      await source.append("b", [raw("b", 0)]);
      const nothing = async function* () {};
      expect(await refusal(compareLogs(nothing, target))).toContain("The target has more events");
      await close();
    });
  });
});
