import fc from "fast-check";
import { Timestamp } from "google-protobuf/google/protobuf/timestamp_pb.js";
import { describe, expect, test } from "vitest";
import {
  decodeBatchRequest,
  encodeBatchSuccess,
} from "../../../src/eventstore/protocol/batchAppend.ts";
import { shared, streams } from "../../../src/eventstore/protocol/messages.ts";
import { writeEvent, writeLink } from "../../../src/eventstore/protocol/readResponse.ts";
import { type StoredEvent, TOMBSTONE } from "../../../src/eventstore/records.ts";

const bytes = fc.uint8Array({ maxLength: 400 });
const text = fc.string({ unit: "binary", minLength: 1, maxLength: 60 });
const uuid = fc.uuid();
const idFormat = fc.constantFrom("string" as const, "structured" as const);
const whole = fc.oneof(
  fc.nat(),
  fc.maxSafeNat().filter((n) => n < Number.MAX_SAFE_INTEGER),
  fc.constantFrom(0, 0x7f, 0x80, 0x7fffffff, 0x80000000, 0xffffffff, 2 ** 35),
);

const stored: fc.Arbitrary<StoredEvent> = fc.record({
  id: uuid,
  type: text,
  isJson: fc.boolean(),
  data: bytes,
  metadata: bytes,
  position: whole.map((n) => n + 1),
  stream: text,
  revision: whole,
  created: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String),
});

type RecordedEvent = InstanceType<(typeof streams)["ReadResp"]["ReadEvent"]["RecordedEvent"]>;
type Id = InstanceType<(typeof shared)["UUID"]>;

const halves = (id: string): [string, string] => {
  const hex = id.replaceAll("-", "");
  const half = (digits: string): string => BigInt.asIntN(64, BigInt(`0x${digits}`)).toString();
  return [half(hex.slice(0, 16)), half(hex.slice(16))];
};

const writeId = (id: string, ids: "string" | "structured"): Id => {
  if (ids === "string") return new shared.UUID().setString(id);
  const [high, low] = halves(id);
  const structured = new shared.UUID.Structured();
  return new shared.UUID().setStructured(
    structured.setMostSignificantBits(high).setLeastSignificantBits(low),
  );
};

const streamIdentifier = (stream: string) =>
  new shared.StreamIdentifier().setStreamName(Uint8Array.from(Buffer.from(stream)));

const recordOf = (event: StoredEvent, ids: "string" | "structured"): RecordedEvent => {
  const record = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(writeId(event.id, ids))
    .setStreamIdentifier(streamIdentifier(event.stream))
    .setStreamRevision(String(event.revision))
    .setCommitPosition(String(event.position))
    .setPreparePosition(String(event.position))
    .setCustomMetadata(event.metadata)
    .setData(event.data);
  record
    .getMetadataMap()
    .set("type", event.type)
    .set("content-type", event.isJson ? "application/json" : "application/octet-stream")
    .set("created", event.created);
  return record;
};

describe("the read response of an event", () => {
  test("equals the encoding of the generated code", () => {
    fc.assert(
      fc.property(stored, idFormat, (event, ids) => {
        const answer = new streams.ReadResp().setEvent(
          new streams.ReadResp.ReadEvent()
            .setEvent(recordOf(event, ids))
            .setCommitPosition(String(event.position)),
        );
        expect(writeEvent(event, ids)).toEqual(Buffer.from(answer.serializeBinary()));
      }),
      { numRuns: 500 },
    );
  });

  test("equals it for resolved and broken links", () => {
    const target = fc.option(stored);
    fc.assert(
      fc.property(stored, target, idFormat, (link, event, ids) => {
        const readEvent = new streams.ReadResp.ReadEvent()
          .setLink(recordOf(link, ids))
          .setCommitPosition(String(link.position));
        if (event) readEvent.setEvent(recordOf(event, ids));
        const answer = new streams.ReadResp().setEvent(readEvent);
        expect(writeLink(link, event, ids)).toEqual(Buffer.from(answer.serializeBinary()));
      }),
    );
  });

  test("is decoded by the generated code", () => {
    fc.assert(
      fc.property(stored, (event) => {
        const read = streams.ReadResp.deserializeBinary(writeEvent(event, "string"));
        const record = read.getEvent()?.getEvent();
        expect({
          id: record?.getId()?.getString(),
          stream: Buffer.from(record?.getStreamIdentifier()?.getStreamName_asU8() ?? []),
          revision: record?.getStreamRevision(),
          position: record?.getCommitPosition(),
          prepare: record?.getPreparePosition(),
          type: record?.getMetadataMap().get("type"),
          contentType: record?.getMetadataMap().get("content-type"),
          created: record?.getMetadataMap().get("created"),
          data: Uint8Array.from(record?.getData_asU8() ?? []),
          metadata: Uint8Array.from(record?.getCustomMetadata_asU8() ?? []),
        }).toEqual({
          id: event.id,
          stream: Buffer.from(event.stream),
          revision: String(event.revision),
          position: String(event.position),
          prepare: String(event.position),
          type: Buffer.from(event.type).toString(),
          contentType: event.isJson ? "application/json" : "application/octet-stream",
          created: event.created,
          data: event.data,
          metadata: event.metadata,
        });
      }),
    );
  });

  test("has the largest signed revision for a tombstone", () => {
    const [event] = fc.sample(stored, 1);
    if (!event) throw new Error("No sample");
    const tombstone = { ...event, revision: TOMBSTONE };
    const read = streams.ReadResp.deserializeBinary(writeEvent(tombstone, "string"));
    expect(read.getEvent()?.getEvent()?.getStreamRevision()).toBe("9223372036854775807");
  });
});

type Expectation =
  | { kind: "revision"; revision: number }
  | { kind: "no_stream" | "any" | "stream_exists" };

const expectation: fc.Arbitrary<Expectation> = fc.oneof(
  whole.map((revision) => ({ kind: "revision" as const, revision })),
  fc
    .constantFrom("no_stream" as const, "any" as const, "stream_exists" as const)
    .map((kind) => ({ kind })),
);

const proposed = fc.record({
  id: uuid,
  type: text,
  contentType: fc.constantFrom("application/json", "application/octet-stream", "text/plain"),
  data: bytes,
  metadata: bytes,
});

const request = fc.record({
  correlationId: uuid,
  ids: idFormat,
  options: fc.option(
    fc.record({
      stream: text,
      expected: expectation,
      deadline: fc.option(fc.integer({ min: 0, max: 4e12 }), { nil: undefined }),
    }),
  ),
  proposed: fc.array(proposed, { maxLength: 5 }),
  isFinal: fc.boolean(),
});

/** The request, as a client's generated code writes it. */
const generatedRequest = (given: Parameters<Parameters<typeof request.map>[0]>[0]): Uint8Array => {
  const message = new streams.BatchAppendReq()
    .setCorrelationId(writeId(given.correlationId, given.ids))
    .setIsFinal(given.isFinal);
  if (given.options) {
    const { stream, expected, deadline } = given.options;
    const options = new streams.BatchAppendReq.Options().setStreamIdentifier(
      streamIdentifier(stream),
    );
    const { Empty } = shared;
    if (expected.kind === "revision") options.setStreamPosition(String(expected.revision));
    else if (expected.kind === "no_stream") options.setNoStream(new Empty() as never);
    else if (expected.kind === "any") options.setAny(new Empty() as never);
    else options.setStreamExists(new Empty() as never);
    if (deadline !== undefined) options.setDeadline(Timestamp.fromDate(new Date(deadline)));
    message.setOptions(options);
  }
  for (const event of given.proposed) {
    const one = new streams.BatchAppendReq.ProposedMessage()
      .setId(writeId(event.id, given.ids))
      .setCustomMetadata(event.metadata)
      .setData(event.data);
    one.getMetadataMap().set("type", event.type).set("content-type", event.contentType);
    one.getMetadataMap().set("something-else", "x");
    message.addProposedMessages(one);
  }
  return message.serializeBinary();
};

describe("a BatchAppend request", () => {
  test("decodes the encoding of the generated code, unknown fields included", () => {
    const unknown = fc.constantFrom(
      Buffer.alloc(0),
      Buffer.from([(15 << 3) | 2, 2, 1, 2]),
      Buffer.from([(15 << 3) | 0, 0xff, 0x01]),
      Buffer.from([(15 << 3) | 1, 0, 0, 0, 0, 0, 0, 0, 0]),
      Buffer.from([0x85, 0x08, 0, 0, 0, 0]),
    );
    fc.assert(
      fc.property(request, unknown, (given, rest) => {
        const read = decodeBatchRequest(Buffer.concat([generatedRequest(given), rest]));
        expect({
          ...read,
          correlationBytes: Uint8Array.from(read.correlationBytes),
          options: read.options && { ...read.options, stream: read.options.stream.toString() },
          proposed: read.proposed.map((event) => ({
            ...event,
            data: Uint8Array.from(event.data),
            metadata: Uint8Array.from(event.metadata),
          })),
        }).toEqual({
          correlationId: given.correlationId,
          correlationBytes: writeId(given.correlationId, given.ids).serializeBinary(),
          isFinal: given.isFinal,
          options: given.options && {
            ...given.options,
            stream: Buffer.from(given.options.stream).toString(),
          },
          proposed: given.proposed.map((event) => ({
            ...event,
            type: Buffer.from(event.type).toString(),
          })),
        });
      }),
      { numRuns: 500 },
    );
  });

  test("is refused if truncated or invalid", () => {
    fc.assert(
      fc.property(request, fc.nat(), (given, cut) => {
        const whole = Buffer.from(generatedRequest(given));
        const part = whole.subarray(0, cut % whole.length);
        try {
          decodeBatchRequest(part);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        try {
          decodeBatchRequest(Buffer.from(noise));
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("the response to a written append", () => {
  test("equals the encoding of the generated code", () => {
    const answer = fc.record({
      correlationBytes: fc
        .tuple(uuid, idFormat)
        .map(([id, format]) => writeId(id, format).serializeBinary()),
      stream: text,
      revision: whole,
      position: whole.map((n) => n + 1),
    });
    fc.assert(
      fc.property(answer, (given) => {
        const position = new shared.AllStreamPosition()
          .setCommitPosition(String(given.position))
          .setPreparePosition(String(given.position));
        const generated = new streams.BatchAppendResp()
          .setCorrelationId(shared.UUID.deserializeBinary(given.correlationBytes))
          .setSuccess(
            new streams.BatchAppendResp.Success()
              .setCurrentRevision(String(given.revision))
              .setPosition(position),
          )
          .setStreamIdentifier(streamIdentifier(given.stream));
        expect(encodeBatchSuccess(given)).toEqual(Buffer.from(generated.serializeBinary()));
      }),
    );
  });
});
