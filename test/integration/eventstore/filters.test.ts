import { EventStoreDBClient, eventTypeFilter, jsonEvent, START } from "@eventstore/db-client";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toPostgres } from "../../../src/eventstore/read/pattern.ts";
import { startTestLog, type TestLog } from "../../support/log.ts";
import { newEvent } from "./support.ts";

let running: TestLog;
let client: EventStoreDBClient;
let database: pg.Client;
beforeAll(async () => {
  running = await startTestLog();
  client = EventStoreDBClient.connectionString(running.logUrl);
  database = new pg.Client({ connectionString: running.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await client.dispose();
  await running.stop();
});

/** Texts of few characters, so that expressions of few characters match some of them. */
const subject = fc
  .array(fc.constantFrom("a", "b", "A", "1", "_", "-", "$", ".", " ", "{", "^", "\\", "]"), {
    minLength: 1,
    maxLength: 8,
  })
  .map((parts) => parts.join(""));

const source = fc
  .array(
    fc.constantFrom(
      ..."ab1_-$.^|(){}[]*+?\\ ,".split(""),
      ...["(?:", "(?=", "(?!", "(?<=", "(?<!", "\\d", "\\w", "\\s", "\\S", "\\W", "\\b", "\\."],
      ...["{1,2}", "{2}", "[ab]", "[^a-b]", "[\\w-]", ".*", "\\$", "*?", "[-a]", "[a\\]]"],
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(""))
  .filter((text) => {
    try {
      new RegExp(text);
      return true;
    } catch {
      return false;
    }
  });

test("regular expressions in PostgreSQL match like JavaScript", async () => {
  let left = 0;
  await fc.assert(
    fc.asyncProperty(
      source,
      fc.array(subject, { minLength: 5, maxLength: 20 }),
      async (text, subjects) => {
        const translated = toPostgres(text);
        if (translated === null) return;
        left += 1;
        const { rows } = await database.query<{ matches: boolean }>(
          'SELECT s COLLATE "C" ~ $2::text AS matches FROM unnest($1::text[]) AS s',
          [subjects, translated],
        );
        const pattern = new RegExp(text);
        expect(rows.map((row) => row.matches)).toEqual(subjects.map((s) => pattern.test(s)));
      },
    ),
    { numRuns: 3_000 },
  );
  expect(left).toBeGreaterThan(500);
});

test("names beyond ASCII and untranslatable expressions match alike in history and live", async () => {
  const types = ["Größe", "größe", "Grösse", "a\nb", "😀", "😀😀", "plain", "$sys"];
  const stream = "filters-1";
  const write = () =>
    client.appendToStream(
      stream,
      types.map((type) => jsonEvent({ type, data: {} })),
    );
  await write();
  for (const regex of ["^.$", "^..$", "^a.b$", "^[^a]+$", "^\\w+$", "\\bplain\\b", "^(?!\\$)"]) {
    const expected = types.filter((type) => new RegExp(regex).test(type));
    const { position } = await client.appendToStream("filters-2", newEventOf("filters-mark"));
    const seen: string[] = [];
    let live = false;
    const subscription = client.subscribeToAll({
      fromPosition: START,
      filter: eventTypeFilter({ regex: `${regex}|^filters-mark$` }),
    });
    for await (const { event } of subscription) {
      if (event?.streamId === stream) seen.push(event.type);
      if (event?.position.commit !== position?.commit || live) {
        if (!live || seen.length < expected.length) continue;
        break;
      }
      expect(seen.slice(-expected.length)).toEqual(expected);
      seen.length = 0;
      live = true;
      if (expected.length === 0) break;
      void write();
    }
    if (live && expected.length > 0) expect(seen).toEqual(expected);
    await subscription.unsubscribe();
    subscription.destroy();
  }
});

const newEventOf = (type: string) => jsonEvent({ type, data: {} });

test("a regular expression with catastrophic backtracking is stopped and delays no other call", async () => {
  const long = `${"a".repeat(400)}!`;
  await client.appendToStream("hostile-1", newEventOf(long));
  for (const regex of [
    "^(a+)+$",
    "^(a|aa)*$",
    "(a*)*\\1!$",
    "^(?=(a+)+$)",
    "((a{1,255}){1,255})$",
  ]) {
    const subscription = client.subscribeToAll({ filter: eventTypeFilter({ regex }) });
    let ended: unknown = null;
    subscription.on("error", (error) => {
      ended = error;
    });
    const caughtUp = new Promise<void>((resolve) => {
      subscription.on("caughtUp", () => resolve());
      subscription.on("error", () => resolve());
    });
    subscription.resume();
    const { log } = running;
    await log.append(`calm-${regex.length}`, [newEvent(1)], "any");
    await caughtUp;
    if (ended !== null) expect(String(ended)).toContain("takes too long");
    await subscription.unsubscribe().catch(() => undefined);
    subscription.destroy();
  }
  expect(await running.log.head()).toBeTypeOf("bigint");
});
