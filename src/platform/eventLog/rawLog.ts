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

/** A stored event, byte for byte. System events are included. */
export type RawEvent = {
  readonly position: bigint;
  readonly stream: string;
  /** From 0; the largest 64-bit number for a tombstone. */
  readonly revision: bigint;
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  /** The time of the write: ticks of 100 ns since the Unix epoch, in decimal. */
  readonly created: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
};

/** The server refused an append. */
export class AppendRefusedError extends Error {
  constructor(stream: string, why: string) {
    super(`The event log refused an append to ${stream}: ${why}`);
    this.name = "AppendRefusedError";
  }
}

/** Access to a log as a whole, with metadata, deletions and tombstones: for backups and copies. */
export type RawLog = {
  /** Reads `$all` forward after a position (null: from the start) up to another one (null: the end of the log). */
  readAll(options: { after: bigint | null; upTo?: bigint | null }): AsyncIterable<RawEvent>;
  /**
   * Reads `$all` after a position (null: from the start) and goes on with new events until `signal` is aborted. Rejects
   * with LogUnavailableError.
   */
  follow(options: { after: bigint | null; signal: AbortSignal }): AsyncIterable<RawEvent>;
  /** Reads a stream forward from its start. A missing stream yields nothing. */
  readStream(stream: string): AsyncIterable<RawEvent>;
  /** The event at a position, null if there is none. */
  readAt(position: bigint): Promise<RawEvent | null>;
  /** The position of the last event, null if the log is empty. */
  head(): Promise<bigint | null>;
  /**
   * Appends events to a stream at the revision before the first of them. Concurrent appends are sent in the order
   * of the calls. Rejects with AppendRefusedError.
   */
  append(stream: string, events: readonly RawEvent[]): Promise<void>;
  /** Hides a stream's events until the next append. */
  softDelete(stream: string): Promise<void>;
  /** Closes a stream permanently. */
  tombstone(stream: string): Promise<void>;
  close(): Promise<void>;
};

/** The time limit of an append. */
const APPEND_MS = 30_000;
/** The time limit of a read of the last event. */
const HEAD_MS = 10_000;
const FOREVER = Number.POSITIVE_INFINITY;
const TO_THE_END = String(Number.MAX_SAFE_INTEGER);

/** Private methods of the client: its public reads decode JSON, which would change large numbers and invalid bytes. */
type ClientInternals = {
  GRPCStreamCreator<Stream>(
    Client: ReturnType<typeof streamsClient>,
    name: string,
    creator: (client: InstanceType<ReturnType<typeof streamsClient>>) => Stream,
  ): () => Promise<Stream>;
  callArguments(base: object, options: CallOptions): [Metadata, CallOptions];
};

/** Connects to an EventStoreDB server through the db-client's connection. */
export const openRawLog = (url: string): RawLog => {
  const client = openClient(url);
  const internals = client as unknown as ClientInternals;
  const appender = createRawAppender(internals);

  const read = (request: ReadReq, options: ReadLimits = {}): AsyncGenerator<RawEvent> =>
    readEvents(internals, request, options);

  return {
    readAll: async function* ({ after, upTo = null }) {
      for await (const event of read(requestFor({ from: after, backwards: false }))) {
        if (after !== null && event.position <= after) continue;
        if (upTo !== null && event.position > upTo) return;
        yield event;
      }
    },
    follow: async function* ({ after, signal }) {
      const request = requestFor({ from: after, backwards: false });
      request.getOptions()?.setSubscription(new streams.ReadReq.Options.SubscriptionOptions());
      yield* read(request, { signal });
      if (!signal.aborted) throw new LogUnavailableError(new Error("The server ended the call"));
    },
    readStream: (stream) => read(requestForStream(stream)),
    readAt: async (position) => {
      const request = requestFor({ from: position, backwards: false });
      request.getOptions()?.setCount("1");
      for await (const event of read(request, { deadline: Date.now() + HEAD_MS })) {
        return event.position === position ? event : null;
      }
      return null;
    },
    head: async () => {
      const newest = requestFor({ from: null, backwards: true });
      const deadline = Date.now() + HEAD_MS;
      for await (const { position } of read(newest, { deadline })) return position;
      return null;
    },
    append: appender.append,
    softDelete: (stream) => withRefusal(stream, () => client.deleteStream(stream)),
    tombstone: (stream) => withRefusal(stream, () => client.tombstoneStream(stream)),
    close: async () => {
      appender.end();
      await disposeClient(client);
    },
  };
};

type ReadLimits = { readonly deadline?: number; readonly signal?: AbortSignal };

async function* readEvents(
  internals: ClientInternals,
  request: ReadReq,
  { deadline = FOREVER, signal }: ReadLimits,
): AsyncGenerator<RawEvent> {
  let call: ClientReadableStream<ReadResp> | null = null;
  const cancel = (): void => call?.cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    call = await internals.GRPCStreamCreator(streamsClient(), "readAll", (grpc) =>
      grpc.read(request, ...internals.callArguments({}, { deadline })),
    )();
    // Errors after the loop was left.
    call.on("error", () => undefined);
    if (signal?.aborted) return;
    for await (const response of call as AsyncIterable<ReadResp>) {
      const event = response.getEvent()?.getEvent();
      if (event) yield decode(event);
    }
  } catch (error) {
    if (!signal?.aborted) throw new LogUnavailableError(error);
  } finally {
    signal?.removeEventListener("abort", cancel);
    call?.cancel();
  }
}

const withRefusal = async (
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

const requestForStream = (stream: string): ReadReq => {
  const name = new shared.StreamIdentifier().setStreamName(
    Uint8Array.from(Buffer.from(stream, "utf8")),
  );
  const options = new streams.ReadReq.Options.StreamOptions()
    .setStreamIdentifier(name)
    .setStart(new shared.Empty());
  const request = requestFor({ from: null, backwards: false });
  request.getOptions()?.setStream(options);
  return request;
};

const decode = (recorded: ReadResp.ReadEvent.RecordedEvent): RawEvent => {
  const metadata = recorded.getMetadataMap();
  return {
    position: BigInt(recorded.getCommitPosition()),
    stream: Buffer.from(recorded.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString(
      "utf8",
    ),
    revision: BigInt(recorded.getStreamRevision()),
    id: recorded.getId()?.getString() ?? "",
    type: metadata.get("type") ?? "",
    isJson: metadata.get("content-type") === "application/json",
    created: metadata.get("created") ?? "0",
    data: recorded.getData_asU8(),
    metadata: recorded.getCustomMetadata_asU8(),
  };
};

type Batch = ClientDuplexStream<BatchAppendReq, BatchAppendResp>;
type Settle = { readonly stream: string; done(): void; fail(error: Error): void };

/** Appends over one BatchAppend call, which preserves the order of requests. */
const createRawAppender = (internals: ClientInternals) => {
  const waiting = new Map<string, Settle>();
  let opened: Promise<Batch> | null = null;
  let next = 0;

  const failAll = (error: unknown): void => {
    opened = null;
    for (const { fail } of waiting.values()) fail(new LogUnavailableError(error));
    waiting.clear();
  };

  const open = async (): Promise<Batch> => {
    const call = await internals.GRPCStreamCreator(streamsClient(), "append", (grpc) =>
      grpc.batchAppend(...internals.callArguments({}, { deadline: FOREVER })),
    )();
    call.on("data", (response: BatchAppendResp) => settle(waiting, response));
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
        waiting
          .get(id)
          ?.fail(new LogUnavailableError(new Error("An append was not answered in time")));
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

/** Settles the append that a response answers. */
const settle = (waiting: Map<string, Settle>, response: BatchAppendResp): void => {
  const id = readId(response.getCorrelationId());
  const append = waiting.get(id);
  waiting.delete(id);
  const refused = response.getError();
  if (!refused) {
    append?.done();
    return;
  }
  const kind = refused.getDetails()?.getTypeName().split(".").at(-1) ?? "unknown";
  const why = `${kind} ${refused.getMessage()}`.trim();
  append?.fail(new AppendRefusedError(append.stream, why));
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
    const metadata = message.getMetadataMap();
    metadata.set("type", event.type);
    metadata.set("content-type", event.isJson ? "application/json" : "application/octet-stream");
    // The message needs a Uint8Array: it takes a Buffer for an object.
    message.setData(Uint8Array.from(event.data));
    message.setCustomMetadata(Uint8Array.from(event.metadata));
    request.addProposedMessages(message);
  }
  return request;
};
