import { setMaxListeners } from "node:events";
import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
  ReadReq,
  ReadResp,
} from "@eventstore/db-client/generated/streams_pb.js";
import {
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
} from "@grpc/grpc-js";
import pg from "pg";
import { answerAppend } from "./appendCall.ts";
import { answerBatchAppend } from "./batchAppendCall.ts";
import { asFailure, toServiceError, unavailable } from "./failures.ts";
import { createOutlet } from "./outlet.ts";
import { features, ServerFeaturesService, StreamsService } from "./protocol.ts";
import { answerRead, readReadRequest } from "./read.ts";
import { createReader } from "./reader.ts";
import { connectionConfig } from "./session.ts";
import { answerSubscription } from "./subscribe.ts";
import { createTail } from "./tail.ts";
import { createWriter, type EngineLogger } from "./writer.ts";

/** The release of EventStoreDB whose behaviour this engine is held to. */
const SERVER_VERSION = "23.10.0";

/** Above the append limit, so that an append that is too large gets its own error; EventStoreDB's own bound. */
const MAX_MESSAGE_BYTES = 17 * 1024 * 1024;

const silent: EngineLogger = { info: () => {}, warn: () => {}, error: () => {} };

/** A running event log. `url` is a connection string for any EventStoreDB client. */
export type EmbeddedEventStore = { readonly url: string; stop(): Promise<void> };

/**
 * Starts an event log that speaks EventStoreDB's protocol on loopback and keeps its events in Postgres,
 * schema `eventstore`. Rejects when the database cannot be reached, or when another process still
 * writes this log after `lockTimeoutMs` (10 s by default). Afterwards it lives through the database
 * going away: calls fail with UNAVAILABLE until it is back.
 */
export const startEmbeddedEventStore = async (options: {
  databaseUrl: string;
  logger?: EngineLogger;
  /** 0, any free port, by default. */
  port?: number;
  lockTimeoutMs?: number;
}): Promise<EmbeddedEventStore> => {
  const logger = options.logger ?? silent;
  const tail = createTail();
  const writer = createWriter({
    databaseUrl: options.databaseUrl,
    tail,
    logger,
    lockTimeoutMs: options.lockTimeoutMs ?? 10_000,
  });
  const pool = new pg.Pool({ ...connectionConfig(options.databaseUrl), max: 6 });
  // An idle connection that breaks says so here; whoever asks next gets a new one, or the error.
  pool.on("error", () => {});
  const reader = createReader(pool);
  const stopping = new AbortController();
  // Every open call listens: a leak is not what their number means.
  setMaxListeners(0, stopping.signal);

  const read = (call: ServerWritableStream<ReadReq, ReadResp>): void => {
    const outlet = createOutlet(call);
    const serve = async (): Promise<void> => {
      const request = readReadRequest(call.request);
      const answer = request.count === null ? answerSubscription : answerRead;
      await answer({ reader, tail }, request, outlet);
    };
    const fail = (error: unknown): void => {
      if (!outlet.signal.aborted) call.emit("error", toServiceError(asFailure(error)));
    };
    const stop = (): void => fail(unavailable("the event log is stopping"));
    stopping.signal.addEventListener("abort", stop);
    serve()
      .then(() => call.end(), fail)
      .finally(() => stopping.signal.removeEventListener("abort", stop));
  };

  const server = new Server({ "grpc.max_receive_message_length": MAX_MESSAGE_BYTES });
  const { append, batchAppend, read: readMethod } = StreamsService as unknown as Methods;
  server.addService(
    { append, batchAppend, read: readMethod },
    {
      append: (call: ServerReadableStream<AppendReq, AppendResp>, cb: sendUnaryData<AppendResp>) =>
        answerAppend(writer, call, cb),
      batchAppend: (call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>) =>
        answerBatchAppend(writer, call, stopping.signal),
      read,
    },
  );
  server.addService(ServerFeaturesService as unknown as Methods, {
    getSupportedMethods: (
      _call: ServerUnaryCall<unknown, unknown>,
      callback: sendUnaryData<InstanceType<(typeof features)["SupportedMethods"]>>,
    ) => callback(null, supportedMethods()),
  });

  try {
    await writer.start();
    const port = await listen(server, options.port ?? 0);
    return {
      url: `esdb://127.0.0.1:${port}?tls=false`,
      stop: async () => {
        await writer.stop();
        stopping.abort();
        await shutDown(server);
        await pool.end();
      },
    };
  } catch (error) {
    server.forceShutdown();
    await writer.stop();
    await pool.end();
    throw error;
  }
};

type Methods = Readonly<
  Record<string, import("@grpc/grpc-js").MethodDefinition<unknown, unknown>>
> & {
  readonly append: import("@grpc/grpc-js").MethodDefinition<unknown, unknown>;
  readonly batchAppend: import("@grpc/grpc-js").MethodDefinition<unknown, unknown>;
  readonly read: import("@grpc/grpc-js").MethodDefinition<unknown, unknown>;
};

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(error);
      else resolve(bound);
    });
  });

/** Lets open calls end, for half a second. */
const shutDown = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    const force = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, 500);
    server.tryShutdown(() => {
      clearTimeout(force);
      resolve();
    });
  });

/** Only what is built is advertised: the db-client chooses its ways by this list. */
const supportedMethods = (): InstanceType<(typeof features)["SupportedMethods"]> => {
  const answer = new features.SupportedMethods().setEventStoreServerVersion(SERVER_VERSION);
  for (const method of ["append", "batchappend", "read"]) {
    answer.addMethods(
      new features.SupportedMethod()
        .setServiceName("event_store.client.streams.Streams")
        .setMethodName(method),
    );
  }
  return answer;
};
