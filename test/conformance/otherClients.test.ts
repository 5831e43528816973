import { randomUUID } from "node:crypto";
import { BACKWARDS, EventStoreDBClient, jsonEvent } from "@eventstore/db-client";
import type { MemberInfo } from "@eventstore/db-client/generated/gossip_pb.js";
import * as grpc from "@grpc/grpc-js";
import { describe, expect, test } from "vitest";
import { gossip, shared, streams } from "../../src/eventstore/protocol/messages.ts";
import { event, eventsOf, newStream, positionOf, readAllOf, useServer } from "./support.ts";

/** The requests of clients other than the Node.js client, and of load balancers. */

const server = useServer();

const address = (): { host: string; port: number } => {
  const { hostname, port } = new URL(server.url.replace(/^esdb:/, "http:"));
  return { host: hostname, port: Number(port) };
};

type Options = InstanceType<(typeof streams)["ReadReq"]["Options"]>;

const { Options } = streams.ReadReq;

/** Sends a Read as it is on the wire. Returns the bytes of each response. */
const readRaw = (options: Options): Promise<Buffer[]> => {
  const { host, port } = address();
  const client = new grpc.Client(`${host}:${port}`, grpc.credentials.createInsecure());
  const request = new streams.ReadReq().setOptions(
    options.setUuidOption(new Options.UUIDOption().setString(new shared.Empty())),
  );
  return new Promise((resolve, reject) => {
    const responses: Buffer[] = [];
    client
      .makeServerStreamRequest(
        "/event_store.client.streams.Streams/Read",
        (message: typeof request) => Buffer.from(message.serializeBinary()),
        (bytes: Buffer) => bytes,
        request,
      )
      .on("data", (bytes: Buffer) => responses.push(bytes))
      .on("error", reject)
      .on("end", () => resolve(responses))
      .on("close", () => client.close());
  });
};

const readStreamRaw = (stream: string, shape: (options: Options) => Options): Promise<Buffer[]> => {
  const identifier = new shared.StreamIdentifier().setStreamName(
    Uint8Array.from(Buffer.from(stream)),
  );
  return readRaw(
    shape(
      new Options()
        .setStream(new Options.StreamOptions().setStreamIdentifier(identifier))
        .setNoFilter(new shared.Empty())
        .setReadDirection(Options.ReadDirection.FORWARDS),
    ),
  );
};

const countOf = (count: number) => (options: Options) => options.setCount(String(count));

/** `first_stream_position` (field 5) and `last_stream_position` (field 6) below 128, in order. */
const positionsIn = (responses: readonly Buffer[]): string[] =>
  responses.flatMap((bytes) => {
    if (bytes[0] === 5 << 3) return [`first ${bytes[1]}`];
    return bytes[0] === 6 << 3 ? [`last ${bytes[1]}`] : [];
  });

const compatible = (options: Options): Options =>
  options.setControlOption(new streams.ReadReq.Options.ControlOption().setCompatibility(1));

const from = (options: Options, revision: number): Options => {
  options.getStream()?.setRevision(String(revision));
  return options;
};

describe("a client that understands the positions of a stream", () => {
  test("receives the last revision after the events", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, eventsOf(0, 4));
    const responses = await readStreamRaw(stream, (o) => countOf(3)(compatible(from(o, 0))));
    expect(responses).toHaveLength(4);
    expect(positionsIn(responses)).toEqual(["last 4"]);
  });

  test("receives the first revision of a truncated stream before the events", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, eventsOf(0, 49));
    await server.client.setStreamMetadata(stream, { truncateBefore: 40 });
    const responses = await readStreamRaw(stream, (o) => countOf(100)(compatible(from(o, 0))));
    expect(positionsIn(responses)).toEqual(["first 40", "last 49"]);
    expect(responses).toHaveLength(12);
  });

  test("receives the next revision of a read behind the end", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, eventsOf(0, 2));
    const responses = await readStreamRaw(stream, (o) => countOf(10)(compatible(from(o, 7))));
    expect(positionsIn(responses)).toEqual(["first 3", "last 2"]);
  });

  test("is the only one to receive them", async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, eventsOf(0, 2));
    const responses = await readStreamRaw(stream, (o) => countOf(10)(from(o, 0)));
    expect(responses).toHaveLength(3);
    expect(positionsIn(responses)).toEqual([]);
  });
});

const readGossip = (): Promise<MemberInfo[]> => {
  const { host, port } = address();
  const client = new grpc.Client(`${host}:${port}`, grpc.credentials.createInsecure());
  return new Promise<MemberInfo[]>((resolve, reject) => {
    client.makeUnaryRequest(
      "/event_store.client.gossip.Gossip/Read",
      (message: { serializeBinary(): Uint8Array }) => Buffer.from(message.serializeBinary()),
      (bytes: Buffer) => gossip.ClusterInfo.deserializeBinary(new Uint8Array(bytes)),
      new shared.Empty(),
      (error, info) => (error ? reject(error) : resolve(info?.getMembersList() ?? [])),
    );
  }).finally(() => client.close());
};

describe("a client that discovers the cluster", () => {
  test("finds one leader at the server's port", async () => {
    const [member, ...others] = await readGossip();
    expect(others).toEqual([]);
    expect(member?.getIsAlive()).toBe(true);
    // VNodeState.Leader
    expect(member?.getState()).toBe(8);
    expect(member?.getHttpEndPoint()?.getPort()).toBe(address().port);
  });

  test.each([
    ["esdb+discover://", (at: string) => `esdb+discover://${at}?tls=false&nodePreference=leader`],
    ["several hosts", (at: string) => `esdb://${at},${at}?tls=false&nodePreference=leader`],
  ])("appends and reads with %s", async (_name, urlOf) => {
    const { host, port } = address();
    const client = EventStoreDBClient.connectionString(urlOf(`${host}:${port}`));
    const stream = newStream();
    await client.appendToStream(stream, event(1));
    expect((await readAllOf(client, stream)).map((e) => e.data)).toEqual([1]);
    await client.dispose();
  });
});

describe("a backward read of $all from 2^64 - 1, which the .NET client sends for the end", () => {
  const END_OF_DOTNET = { commit: 2n ** 64n - 1n, prepare: 2n ** 64n - 1n };

  test("starts at the last event without a filter", async () => {
    const { position } = await server.client.appendToStream(newStream(), event(1));
    const found = [];
    for await (const resolved of server.client.readAll({
      direction: BACKWARDS,
      fromPosition: END_OF_DOTNET,
      maxCount: 200,
    })) {
      found.push(resolved.event?.position?.commit);
    }
    expect(found).toContain(positionOf({ ...(position && { position }) }).commit);
  });

  test("starts at the last matching event with a filter", async () => {
    const type = `DotNet-${randomUUID()}`;
    await server.client.appendToStream(newStream(), event(1, type));
    const { position } = await server.client.appendToStream(newStream(), event(2, type));
    const [response, ...others] = await readRaw(
      new Options()
        .setAll(
          new Options.AllOptions().setPosition(
            new Options.Position()
              .setCommitPosition(String(END_OF_DOTNET.commit))
              .setPreparePosition(String(END_OF_DOTNET.prepare)),
          ),
        )
        .setReadDirection(Options.ReadDirection.BACKWARDS)
        .setCount("1")
        .setFilter(
          new Options.FilterOptions()
            .setEventType(new Options.FilterOptions.Expression().setRegex(`^${type}$`))
            .setCount(new shared.Empty()),
        ),
    );
    const read = streams.ReadResp.deserializeBinary(Uint8Array.from(response ?? []));
    expect(read.getEvent()?.getEvent()?.getCommitPosition()).toBe(String(position?.commit));
    expect(others).toEqual([]);
  });
});

test("an append counts the data of its events, not their metadata", async () => {
  const stream = newStream();
  const large = { text: "x".repeat(1_100_000) };
  await server.client.appendToStream(stream, jsonEvent({ type: "T", data: {}, metadata: large }));
  const [stored] = await readAllOf(server.client, stream);
  expect(stored?.metadata).toEqual(large);
});

describe("HTTP/1.1 on the port of the log", () => {
  const get = async (path: string): Promise<[number, string]> => {
    const { host, port } = address();
    const response = await fetch(`http://${host}:${port}${path}`);
    return [response.status, await response.text()];
  };

  test("answers a ping and the check of a load balancer", async () => {
    const [status, body] = await get("/ping");
    expect(status).toBe(200);
    expect(body).toContain("Ping request successful");
    expect((await get("/health/live"))[0]).toBe(204);
  });
});
