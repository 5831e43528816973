import { randomUUID } from "node:crypto";
import { BACKWARDS, binaryEvent, END, streamNameFilter } from "@eventstore/db-client";
import { describe, expect, test } from "vitest";
import {
  event,
  eventsOf,
  linkTo,
  newStream,
  numbers,
  ofAllBetween,
  positionOf,
  type ReadOptions,
  useServer,
} from "./support.ts";

const server = useServer();

const read = async (stream: string, options: ReadOptions) => {
  const found = [];
  for await (const resolved of server.client.readStream(stream, options)) found.push(resolved);
  return found;
};

/** A stream of three events, and one with links to them, newest first. */
const linked = async (): Promise<{ target: string; links: string }> => {
  const [target, links] = [newStream(), newStream()];
  await server.client.appendToStream(target, eventsOf(0, 2));
  await server.client.appendToStream(
    links,
    [2, 1, 0].map((revision) => linkTo(target, revision)),
  );
  return { target, links };
};

describe("unresolved links", () => {
  test("are returned as events of the link type with their target", async () => {
    const { target, links } = await linked();
    const found = await read(links, {});
    expect(found.map((e) => [e.event?.type, e.event?.streamId, e.link])).toEqual(
      numbers(1, 3).map(() => ["$>", links, undefined]),
    );
    expect(found.map((e) => Buffer.from(e.event?.data as Uint8Array).toString())).toEqual([
      `2@${target}`,
      `1@${target}`,
      `0@${target}`,
    ]);
  });

  test("are delivered unresolved to a subscription by default", async () => {
    const { links } = await linked();
    const seen = server.watch(server.client.subscribeToStream(links));
    await seen.until(() => seen.resolved.length >= 3);
    expect(seen.resolved.map((e) => [e.event?.type, e.link])).toEqual(
      numbers(1, 3).map(() => ["$>", undefined]),
    );
  });
});

describe("resolved links", () => {
  test.each([
    { options: {}, expected: [2, 1, 0] },
    { options: { fromRevision: 1n }, expected: [1, 0] },
    { options: { maxCount: 2 }, expected: [2, 1] },
    { options: { direction: BACKWARDS, fromRevision: END }, expected: [0, 1, 2] },
    { options: { direction: BACKWARDS, fromRevision: END, maxCount: 1 }, expected: [0] },
  ] as const)(
    "are returned with their events for a read with $options",
    async ({ options, expected }) => {
      const { target, links } = await linked();
      const found = await read(links, { ...options, resolveLinkTos: true });
      expect(found.map((e) => e.event?.data)).toEqual(expected);
      for (const { event: stored, link } of found) {
        expect(stored).toMatchObject({ streamId: target, type: "ConformanceChecked" });
        expect(link).toMatchObject({ streamId: links, type: "$>" });
        expect(Number(link?.revision)).toBe(2 - Number(stored?.revision));
      }
    },
  );

  test("return the same event as a direct read", async () => {
    const { target, links } = await linked();
    const [direct] = await read(target, { fromRevision: 1n, maxCount: 1 });
    const [resolved] = await read(links, { fromRevision: 1n, maxCount: 1, resolveLinkTos: true });
    expect(resolved?.event).toEqual(direct?.event);
    const [link] = await read(links, { fromRevision: 1n, maxCount: 1 });
    expect(resolved?.link).toEqual(link?.event);
  });

  test("do not affect ordinary events", async () => {
    const target = newStream();
    const mixed = newStream();
    await server.client.appendToStream(target, event("target"));
    await server.client.appendToStream(mixed, [event("own"), linkTo(target, 0), event("own too")]);
    const found = await read(mixed, { resolveLinkTos: true });
    expect(found.map((e) => [e.event?.data, e.link?.type])).toEqual([
      ["own", undefined],
      ["target", "$>"],
      ["own too", undefined],
    ]);
  });

  test("keep the metadata of link and event separate", async () => {
    const [target, links] = [newStream(), newStream()];
    const causedBy = randomUUID();
    await server.client.appendToStream(target, { ...event(0), metadata: { of: "event" } });
    await server.client.appendToStream(
      links,
      binaryEvent({
        type: "$>",
        data: Buffer.from(`0@${target}`),
        metadata: { $causedBy: causedBy },
      }),
    );
    const [found] = await read(links, { resolveLinkTos: true });
    expect(found?.event?.metadata).toEqual({ of: "event" });
    expect(found?.link?.metadata).toEqual({ $causedBy: causedBy });
  });

  test("point to streams of any name", async () => {
    const target = `${newStream()} 漢字@é'%_`;
    const links = newStream();
    await server.client.appendToStream(target, event("there"));
    await server.client.appendToStream(links, linkTo(target, 0));
    const [found] = await read(links, { resolveLinkTos: true });
    expect(found?.event?.data).toBe("there");
  });

  test("point to many streams, and repeatedly to an event", async () => {
    const targets = numbers(0, 9).map(() => newStream());
    for (const [i, target] of targets.entries()) {
      await server.client.appendToStream(target, eventsOf(i * 100, i * 100 + 49));
    }
    const links = newStream();
    const wanted = numbers(0, 599).map((n) => ({ stream: n % 10, revision: (n * 7) % 50 }));
    await server.client.appendToStream(
      links,
      wanted.map(({ stream, revision }) => linkTo(targets[stream] ?? "", revision)),
    );
    const found = await read(links, { resolveLinkTos: true });
    expect(found.map((e) => e.event?.data)).toEqual(
      wanted.map(({ stream, revision }) => stream * 100 + revision),
    );
  });

  test("in $all are returned at the position of the link", async () => {
    const { target, links } = await linked();
    const first = positionOf(await server.client.appendToStream(links, linkTo(target, 1)));
    const last = positionOf(await server.client.appendToStream(newStream(), event("end")));
    const [found] = await ofAllBetween(server.client, first, last, [links], {
      resolveLinkTos: true,
    });
    expect(found?.event).toMatchObject({ streamId: target, data: 1 });
    expect(found?.link).toMatchObject({ streamId: links, position: first });
  });

  test("are delivered to a stream subscription from history and live", async () => {
    const { target, links } = await linked();
    const seen = server.watch(server.client.subscribeToStream(links, { resolveLinkTos: true }));
    await seen.until(() => seen.resolved.length >= 3);
    await server.client.appendToStream(links, [linkTo(target, 1), event("own")]);
    await seen.until(() => seen.resolved.length >= 5);
    expect(seen.resolved.map((e) => [e.event?.data, e.link?.type])).toEqual([
      [2, "$>"],
      [1, "$>"],
      [0, "$>"],
      [1, "$>"],
      ["own", undefined],
    ]);
    expect(seen.resolved.map((e) => Number((e.link ?? e.event)?.revision))).toEqual(numbers(0, 4));
  });

  test("are delivered to an $all subscription from history and live", async () => {
    const target = newStream();
    const links = newStream();
    const first = positionOf(await server.client.appendToStream(target, eventsOf(0, 2)));
    await server.client.appendToStream(links, linkTo(target, 2));
    const seen = server.watch(
      server.client.subscribeToAll({ fromPosition: first, resolveLinkTos: true }),
    );
    const own = () => seen.resolved.filter((e) => e.link?.streamId === links);
    await seen.until(() => own().length >= 1);
    await server.client.appendToStream(links, linkTo(target, 0));
    await seen.until(() => own().length >= 2);
    expect(own().map((e) => e.event?.data)).toEqual([2, 0]);
  });

  test("are filtered by the name of the linking stream", async () => {
    const { links } = await linked();
    const seen = server.watch(
      server.client.subscribeToAll({
        resolveLinkTos: true,
        filter: streamNameFilter({ prefixes: [links] }),
      }),
    );
    await seen.until(() => seen.resolved.length >= 3);
    expect(seen.resolved.map((e) => [e.event?.data, e.link?.streamId])).toEqual([
      [2, links],
      [1, links],
      [0, links],
    ]);
  });
});

describe("broken links", () => {
  const ways: readonly { name: string; break: (target: string) => Promise<unknown> }[] = [
    { name: "a stream that was deleted", break: (target) => server.client.deleteStream(target) },
    { name: "a stream with a tombstone", break: (target) => server.client.tombstoneStream(target) },
    {
      name: "an event that was truncated",
      break: (target) => server.client.setStreamMetadata(target, { truncateBefore: 2 }),
    },
  ];

  test.each(ways)(
    "to $name are returned without an event in both directions",
    async ({ break: breakIt }) => {
      const [target, links] = [newStream(), newStream()];
      await server.client.appendToStream(target, eventsOf(0, 2));
      await server.client.appendToStream(links, linkTo(target, 0));
      await breakIt(target);
      for (const options of [{}, { direction: BACKWARDS, fromRevision: END }] as const) {
        const found = await read(links, { ...options, resolveLinkTos: true });
        expect(found.map((e) => [e.event, e.link?.type, e.link?.streamId])).toEqual([
          [undefined, "$>", links],
        ]);
      }
    },
  );

  test.each([
    { name: "a stream that never was", target: newStream(), revision: 0 },
    { name: "an event that is not there yet", target: "own", revision: 7 },
  ])("to $name are delivered without an event", async ({ target, revision }) => {
    const links = newStream();
    await server.client.appendToStream(links, linkTo(target === "own" ? links : target, revision));
    const found = await read(links, { resolveLinkTos: true });
    expect(found.map((e) => [e.event, e.link?.type])).toEqual([[undefined, "$>"]]);
  });

  test("do not stop a subscription", async () => {
    const [gone, target, links] = [newStream(), newStream(), newStream()];
    await server.client.appendToStream(target, event("there"));
    await server.client.appendToStream(links, [linkTo(gone, 0), linkTo(target, 0)]);
    const seen = server.watch(server.client.subscribeToStream(links, { resolveLinkTos: true }));
    await seen.until(() => seen.resolved.length >= 2);
    await server.client.appendToStream(links, [linkTo(gone, 1), linkTo(target, 0)]);
    await seen.until(() => seen.resolved.length >= 4);
    expect(seen.resolved.map((e) => e.event?.data)).toEqual([
      undefined,
      "there",
      undefined,
      "there",
    ]);
    expect(seen.resolved.map((e) => e.link?.streamId)).toEqual(numbers(1, 4).map(() => links));
  });
});
