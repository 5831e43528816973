import type { EventStoreDBClient } from "@eventstore/db-client";
import type {
  BatchAppendReq,
  BatchAppendResp,
  ReadReq,
  ReadResp,
} from "@eventstore/db-client/generated/streams_pb.js";
import type {
  CallOptions,
  ClientDuplexStream,
  ClientReadableStream,
  Metadata,
} from "@grpc/grpc-js";
import { readId } from "../../eventstore/protocol/fields.ts";
import {
  GoogleEmpty,
  shared,
  streams,
  streamsClient,
  Timestamp,
} from "../../eventstore/protocol/messages.ts";
import { disposeClient } from "./dispose.ts";
import { LogUnavailableError } from "./errors.ts";
import { openClient } from "./openClient.ts";

/** An event as a server holds it, byte for byte; those that a server writes itself are among them. */
export type RawEvent = {
  readonly position: bigint;
  readonly stream: string;
  /** From 0; the largest 64-bit number for the tombstone of a stream. */
  readonly revision: bigint;
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  /** When the server wrote it: ticks of 100 ns since the Unix epoch, in decimal. */
  readonly created: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
};

/** A server does not take what it is given: it says why. */
export class AppendRefusedError extends Error {
  constructor(stream: string, why: string) {
    super(`The event log does not take what is to be written to ${stream}: ${why}`);
    this.name = "AppendRefusedError";
  }
}

/** A server's log, as it is moved and kept as a whole: with streams' metadata, deletions and tombstones. */
export type RawLog = {
  /** Reads `$all` forward after a position (null: from the start) up to one (null: the end as it is when it is reached). */
  readAll(options: { after: bigint | null; upTo?: bigint | null }): AsyncIterable<RawEvent>;
  /** The position of the last event of all, null when there is none. */
  head(): Promise<bigint | null>;
  /**
   * Writes events to the end of a stream whose last revision must be the one before the first of them. Several may
   * be under way; they are sent in the order in which they were asked for. Rejects with AppendRefusedError.
   */
  append(stream: string, events: readonly RawEvent[]): Promise<void>;
  /** Hides a stream's events until it is written to again. */
  softDelete(stream: string): Promise<void>;
  /** Ends a stream for good. */
  tombstone(stream: string): Promise<void>;
  close(): Promise<void>;
};

/** An append that is not answered by then has failed. */
const APPEND_MS = 30_000;
/** Nor does a server answer that has not said by then what its last event is. */
const HEAD_MS = 10_000;
const FOREVER = Number.POSITIVE_INFINITY;
const TO_THE_END = String(Number.MAX_SAFE_INTEGER);

/** What the client keeps to itself: its calls decode JSON, and large numbers and odd bytes would not survive that. */
type Insides = {
  GRPCStreamCreator<Stream>(
    Client: ReturnType<typeof streamsClient>,
    name: string,
    creator: (client: InstanceType<ReturnType<typeof streamsClient>>) => Stream,
  ): () => Promise<Stream>;
  callArguments(base: object, options: CallOptions): [Metadata, CallOptions];
};

/** Connects to any EventStoreDB server, with the db-client's connection, to read and write events byte for byte. */
export const openRawLog = (url: string): RawLog => {
  const client = openClient(url);
  const insides = client as unknown as Insides;
  const appender = createRawAppender(insides);

  const read = async function* (request: ReadReq, deadline = FOREVER): AsyncGenerator<RawEvent> {
    let call: ClientReadableStream<ReadResp> | null = null;
    try {
      call = await insides.GRPCStreamCreator(streamsClient(), "readAll", (grpc) =>
        grpc.read(request, ...insides.callArguments({}, { deadline })),
      )();
      // An end that comes after the loop was left is nobody's.
      call.on("error", () => undefined);
      for await (const response of call as AsyncIterable<ReadResp>) {
        const event = response.getEvent()?.getEvent();
        if (event) yield decode(event);
      }
    } catch (error) {
      throw new LogUnavailableError(error);
    } finally {
      call?.cancel();
    }
  };

  return {
    readAll: async function* ({ after, upTo = null }) {
      for await (const event of read(requestFor({ from: after, backwards: false }))) {
        if (after !== null && event.position <= after) continue;
        if (upTo !== null && event.position > upTo) return;
        yield event;
      }
    },
    head: async () => {
      const newest = requestFor({ from: null, backwards: true });
      for await (const { position } of read(newest, Date.now() + HEAD_MS)) return position;
      return null;
    },
    append: appender.append,
    softDelete: (stream) => changed(stream, () => client.deleteStream(stream)),
    tombstone: (stream) => changed(stream, () => client.tombstoneStream(stream)),
    close: async () => {
      appender.end();
      await disposeClient(client);
    },
  };
};

const changed = async (
  stream: string,
  work: () => ReturnType<EventStoreDBClient["deleteStream"]>,
) => {
  try {
    await work();
  } catch (error) {
    throw new AppendRefusedError(stream, error instanceof Error ? error.message : String(error));
  }
};

const requestFor = (options: { from: bigint | null; backwards: boolean }): ReadReq => {
  const { from, backwards } = options;
  const all = new streams.ReadReq.Options.AllOptions();
  if (from !== null) {
    const position = new streams.ReadReq.Options.Position();
    position.setCommitPosition(String(from)).setPreparePosition(String(from));
    all.setPosition(position);
  } else if (backwards) all.setEnd(new shared.Empty());
  else all.setStart(new shared.Empty());
  const direction = streams.ReadReq.Options.ReadDirection;
  return new streams.ReadReq().setOptions(
    new streams.ReadReq.Options()
      .setAll(all)
      .setResolveLinks(false)
      .setCount(backwards ? "1" : TO_THE_END)
      .setUuidOption(new streams.ReadReq.Options.UUIDOption().setString(new shared.Empty()))
      .setNoFilter(new shared.Empty())
      .setReadDirection(backwards ? direction.BACKWARDS : direction.FORWARDS),
  );
};

const decode = (recorded: ReadResp.ReadEvent.RecordedEvent): RawEvent => {
  const told = recorded.getMetadataMap();
  return {
    position: BigInt(recorded.getCommitPosition()),
    stream: Buffer.from(recorded.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString(
      "utf8",
    ),
    revision: BigInt(recorded.getStreamRevision()),
    id: recorded.getId()?.getString() ?? "",
    type: told.get("type") ?? "",
    isJson: told.get("content-type") === "application/json",
    created: told.get("created") ?? "0",
    data: recorded.getData_asU8(),
    metadata: recorded.getCustomMetadata_asU8(),
  };
};

type Batch = ClientDuplexStream<BatchAppendReq, BatchAppendResp>;
type Settle = { readonly stream: string; done(): void; fail(error: Error): void };

/** Appends over one long call, whose requests arrive in the order in which they are sent. */
const createRawAppender = (insides: Insides) => {
  const waiting = new Map<string, Settle>();
  let opened: Promise<Batch> | null = null;
  let next = 0;

  const failAll = (error: unknown): void => {
    opened = null;
    for (const { fail } of waiting.values()) fail(new LogUnavailableError(error));
    waiting.clear();
  };

  const open = async (): Promise<Batch> => {
    const call = await insides.GRPCStreamCreator(streamsClient(), "append", (grpc) =>
      grpc.batchAppend(...insides.callArguments({}, { deadline: FOREVER })),
    )();
    call.on("data", (response: BatchAppendResp) => {
      const id = readId(response.getCorrelationId());
      const settle = waiting.get(id);
      waiting.delete(id);
      const refused = response.getError();
      if (!refused) settle?.done();
      else {
        const kind = refused.getDetails()?.getTypeName().split(".").at(-1) ?? "unknown";
        settle?.fail(
          new AppendRefusedError(settle.stream, `${kind} ${refused.getMessage()}`.trim()),
        );
      }
    });
    call.on("error", failAll);
    call.on("end", () => failAll(new Error("The server ended the call")));
    return call;
  };

  return {
    append: async (stream: string, events: readonly RawEvent[]): Promise<void> => {
      opened ??= open().catch((error: unknown) => {
        opened = null;
        throw new LogUnavailableError(error);
      });
      const call = await opened;
      next += 1;
      const id = `00000000-0000-4000-8000-${next.toString(16).padStart(12, "0")}`;
      const timer = setTimeout(() => {
        waiting.get(id)?.fail(new LogUnavailableError(new Error("An append is not answered")));
        waiting.delete(id);
      }, APPEND_MS);
      try {
        await new Promise<void>((resolve, reject) => {
          waiting.set(id, { stream, done: resolve, fail: reject });
          call.write(encode(id, stream, events));
        });
      } finally {
        clearTimeout(timer);
      }
    },
    end: (): void => {
      void opened?.then((call) => call.end()).catch(() => undefined);
    },
  };
};

const encode = (id: string, stream: string, events: readonly RawEvent[]): BatchAppendReq => {
  const options = new streams.BatchAppendReq.Options();
  const name = Uint8Array.from(Buffer.from(stream, "utf8"));
  options.setStreamIdentifier(new shared.StreamIdentifier().setStreamName(name));
  const first = events[0]?.revision ?? 0n;
  if (first === 0n) options.setNoStream(new GoogleEmpty());
  else options.setStreamPosition(String(first - 1n));
  options.setDeadline(Timestamp().fromDate(new Date(Date.now() + APPEND_MS)));
  const request = new streams.BatchAppendReq()
    .setCorrelationId(new shared.UUID().setString(id))
    .setOptions(options)
    .setIsFinal(true);
  for (const event of events) {
    const message = new streams.BatchAppendReq.ProposedMessage();
    message.setId(new shared.UUID().setString(event.id));
    const told = message.getMetadataMap();
    told.set("type", event.type);
    told.set("content-type", event.isJson ? "application/json" : "application/octet-stream");
    // A Buffer would be taken for another kind of object.
    message.setData(Uint8Array.from(event.data));
    message.setCustomMetadata(Uint8Array.from(event.metadata));
    request.addProposedMessages(message);
  }
  return request;
};
