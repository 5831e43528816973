import { createRequire } from "node:module";
import type { BatchAppendResp } from "@eventstore/db-client/generated/streams_pb.js";
import { Client, type ClientDuplexStream, credentials } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { startTestLog, type TestLog } from "../../support/log.ts";
import { collect } from "./support.ts";

/* What the client would never send, or would not show: BatchAppend spoken by hand. */
const requireFromClient = createRequire(
  createRequire(import.meta.url).resolve("@eventstore/db-client"),
);
const streams = requireFromClient(
  "../generated/streams_pb.js",
) as typeof import("@eventstore/db-client/generated/streams_pb.js");
const shared = requireFromClient(
  "../generated/shared_pb.js",
) as typeof import("@eventstore/db-client/generated/shared_pb.js");
const { StreamsClient } = requireFromClient(
  "../generated/streams_grpc_pb.js",
) as typeof import("@eventstore/db-client/generated/streams_grpc_pb.js");
const { Timestamp } = requireFromClient(
  "google-protobuf/google/protobuf/timestamp_pb.js",
) as typeof import("google-protobuf/google/protobuf/timestamp_pb.js");

type Request = InstanceType<typeof streams.BatchAppendReq>;

let running: TestLog;
beforeAll(async () => {
  running = await startTestLog();
});
afterAll(() => running.stop());

/** Opens a BatchAppend call and collects the responses. */
const open = () => {
  const address = new URL(running.logUrl.replace("esdb:", "http:")).host;
  const client = new StreamsClient(address, credentials.createInsecure());
  const call = client.batchAppend() as ClientDuplexStream<Request, BatchAppendResp>;
  const answers: BatchAppendResp[] = [];
  let ended: { code: number; details: string } | null = null;
  call.on("data", (answer: BatchAppendResp) => answers.push(answer));
  call.on("error", () => undefined);
  call.on("status", (status: { code: number; details: string }) => {
    ended = status;
  });
  return {
    call,
    answers,
    ended: () => ended,
    close: () => {
      call.cancel();
      client.close();
    },
  };
};

const request = (
  correlationId: string,
  parts: { stream?: string; deadline?: number; ids?: string[]; final?: boolean },
): Request => {
  const message = new streams.BatchAppendReq()
    .setCorrelationId(new shared.UUID().setString(correlationId))
    .setIsFinal(parts.final ?? true);
  if (parts.stream !== undefined) {
    const options = new streams.BatchAppendReq.Options()
      .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(parts.stream)))
      .setAny(new (requireFromClient("google-protobuf/google/protobuf/empty_pb.js").Empty)());
    if (parts.deadline !== undefined) {
      options.setDeadline(Timestamp.fromDate(new Date(parts.deadline)));
    }
    message.setOptions(options);
  }
  for (const id of parts.ids ?? []) {
    const event = new streams.BatchAppendReq.ProposedMessage()
      .setId(new shared.UUID().setString(id))
      .setData(Buffer.from("{}"));
    event.getMetadataMap().set("type", "T").set("content-type", "application/json");
    message.addProposedMessages(event);
  }
  return message;
};

const inAMinute = (): number => Date.now() + 60_000;

describe("BatchAppend", () => {
  test("answers an append of several messages once, under its correlation id", async () => {
    const { call, answers, ended, close } = open();
    const [correlationId, stream] = [newId(), `batch-${newId()}`];
    const ids = [newId(), newId(), newId()];
    call.write(
      request(correlationId, { stream, deadline: inAMinute(), ids: ids.slice(0, 1), final: false }),
    );
    call.write(request(correlationId, { ids: ids.slice(1, 2), final: false }));
    call.write(request(correlationId, { ids: ids.slice(2) }));
    call.end();
    await expect.poll(ended).toMatchObject({ code: 0 });
    expect(answers).toHaveLength(1);
    expect(answers[0]?.getCorrelationId()?.getString()).toBe(correlationId);
    expect(
      Buffer.from(answers[0]?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString(),
    ).toBe(stream);
    expect(answers[0]?.getSuccess()?.getCurrentRevision()).toBe("2");
    const stored = await collect(running.log.readStream(stream));
    expect(stored.map((e) => e.id)).toEqual(ids);
    close();
  });

  test("returns a structured correlation id in the same form", async () => {
    const { call, answers, close } = open();
    const structured = new shared.UUID().setStructured(
      new shared.UUID.Structured().setMostSignificantBits("-5").setLeastSignificantBits("77"),
    );
    call.write(
      request(newId(), { stream: `batch-${newId()}`, ids: [newId()] }).setCorrelationId(structured),
    );
    await expect.poll(() => answers.length).toBe(1);
    expect(answers[0]?.getCorrelationId()?.getStructured()?.getMostSignificantBits()).toBe("-5");
    close();
  });

  test("answers Timeout if the deadline passes before the last message", async () => {
    const { call, answers, ended, close } = open();
    const [late, never, good] = [newId(), newId(), newId()];
    const stream = `batch-${newId()}`;
    call.write(request(late, { stream, deadline: Date.now() - 1, ids: [newId()] }));
    call.write(
      request(never, { stream, deadline: Date.now() + 300, ids: [newId()], final: false }),
    );
    await expect.poll(() => answers.length).toBe(2);
    for (const answer of answers) {
      expect(answer.getError()?.getDetails()?.getTypeName()).toBe("event_store.client.Timeout");
    }
    expect(answers.map((a) => a.getCorrelationId()?.getString())).toEqual([late, never]);
    // Later parts of an answered append are ignored; concurrent appends are not affected.
    call.write(request(never, { ids: [newId()] }));
    call.write(request(good, { stream, deadline: inAMinute(), ids: [newId()] }));
    await expect.poll(() => answers.length).toBe(3);
    expect(answers[2]?.hasSuccess()).toBe(true);
    expect(await collect(running.log.readStream(stream))).toHaveLength(1);
    call.end();
    await expect.poll(ended).toMatchObject({ code: 0 });
    close();
  });

  test("refuses only the malformed event", async () => {
    const { call, answers, close } = open();
    const stream = `batch-${newId()}`;
    call.write(request(newId(), { stream, ids: ["no-uuid"] }));
    call.write(request(newId(), { stream, ids: [newId()] }));
    await expect.poll(() => answers.length).toBe(2);
    expect(answers[0]?.getError()?.getDetails()?.getTypeName()).toBe(
      "event_store.client.BadRequest",
    );
    expect(answers[1]?.hasSuccess()).toBe(true);
    close();
  });

  test("ends with an error if the stream ends within an append", async () => {
    const { call, ended, close } = open();
    call.write(request(newId(), { stream: `batch-${newId()}`, ids: [newId()], final: false }));
    call.end();
    await expect.poll(ended).not.toBeNull();
    expect(ended()?.code).not.toBe(0);
    close();
  });
});

describe("unsupported calls", () => {
  test("answer UNIMPLEMENTED and do not affect the log", async () => {
    const address = new URL(running.logUrl.replace("esdb:", "http:")).host;
    const client = new Client(address, credentials.createInsecure());
    const asIs = (bytes: Buffer): Buffer => bytes;
    const error = await new Promise((resolve) => {
      client.makeUnaryRequest(
        "/event_store.client.persistent_subscriptions.PersistentSubscriptions/List",
        asIs,
        asIs,
        Buffer.alloc(0),
        resolve,
      );
    });
    expect(error).toMatchObject({ code: 12 });
    client.close();
    expect(await running.log.head()).toBeTypeOf("bigint");
  });
});
