import { randomUUID } from "node:crypto";
import type { ClusterInfo } from "@eventstore/db-client/generated/gossip_pb.js";
import type { ReadReq } from "@eventstore/db-client/generated/streams_pb.js";
import { answerAppend } from "./calls/append.ts";
import { answerBatchAppend, type BatchCall } from "./calls/batchAppend.ts";
import { answerDelete, answerTombstone } from "./calls/delete.ts";
import { writeClusterInfo } from "./calls/gossip.ts";
import { answerRead, readReadRequest } from "./calls/read.ts";
import { createResponseStream, type ReadCall, type SlowReaders } from "./calls/responseStream.ts";
import { answerSubscription } from "./calls/subscribe.ts";
import { asFailure, CallFailure, toServiceError, unavailable } from "./failures.ts";
import { type Method, onRequest, type ServerCall } from "./grpc/call.ts";
import { decodeBatchRequest } from "./protocol/batchAppend.ts";
import { serializeResponse } from "./protocol/fields.ts";
import { features, shared, streams } from "./protocol/messages.ts";
import type { Reader } from "./read/reader.ts";
import type { Tail } from "./read/tail.ts";
import type { Writer } from "./write/writer.ts";
import type { EngineLogger } from "./write/writerState.ts";

/** The release of EventStoreDB that the engine is compatible with. */
const SERVER_VERSION = "23.10.0";

const STREAMS = "event_store.client.streams.Streams";
const GOSSIP = "event_store.client.gossip.Gossip";
const FEATURES = "event_store.client.server_features.ServerFeatures";

type SupportedMethods = InstanceType<(typeof features)["SupportedMethods"]>;

type Deps = {
  readonly reader: Reader;
  readonly writer: Writer;
  readonly tail: Tail;
  readonly logger: EngineLogger;
  readonly stopping: AbortSignal;
  readonly slowReaders: SlowReaders;
};

// biome-ignore lint/suspicious/noExplicitAny: each method has its own message types.
type AnyMethod = Method<any, any>;

/** The supported methods by path: all of Streams, ServerFeatures, and Gossip for one node. `stopping` ends open calls with UNAVAILABLE. */
export const createMethods = (deps: Deps): ReadonlyMap<string, AnyMethod> => {
  const { writer, stopping } = deps;
  const instanceId = randomUUID();
  return new Map<string, AnyMethod>([
    [
      `/${STREAMS}/Append`,
      method(streams.AppendReq, (call: Parameters<typeof answerAppend>[1]) =>
        answerAppend(writer, call),
      ),
    ],
    [
      `/${STREAMS}/BatchAppend`,
      {
        decode: decodeBatchRequest,
        encode: serializeResponse,
        serve: (call: BatchCall) => answerBatchAppend(writer, call, stopping),
      },
    ],
    [
      `/${STREAMS}/Delete`,
      method(streams.DeleteReq, (call: Parameters<typeof answerDelete>[1]) =>
        answerDelete(writer, call),
      ),
    ],
    [
      `/${STREAMS}/Tombstone`,
      method(streams.TombstoneReq, (call: Parameters<typeof answerTombstone>[1]) =>
        answerTombstone(writer, call),
      ),
    ],
    [
      `/${STREAMS}/Read`,
      method(streams.ReadReq, (call: ReadCall) =>
        onRequest(call, (request) => serveRead(call, request, deps)),
      ),
    ],
    [
      `/${FEATURES}/GetSupportedMethods`,
      method(shared.Empty, (call: ServerCall<unknown, SupportedMethods>) =>
        onRequest(call, () => {
          call.write(supportedMethods());
          call.end();
        }),
      ),
    ],
    [
      `/${GOSSIP}/Read`,
      method(shared.Empty, (call: ServerCall<unknown, ClusterInfo>) =>
        onRequest(call, () => {
          call.write(writeClusterInfo({ instanceId, call }));
          call.end();
        }),
      ),
    ],
  ]);
};

/** A method whose messages are encoded and decoded by the generated code. */
const method = <Request, Response extends Buffer | { serializeBinary(): Uint8Array }>(
  request: { deserializeBinary(bytes: Uint8Array): Request },
  serve: (call: ServerCall<Request, Response>) => unknown,
): Method<Request, Response> => ({
  decode: (bytes) => request.deserializeBinary(new Uint8Array(bytes)),
  encode: serializeResponse,
  serve,
});

const serveRead = (call: ReadCall, message: ReadReq, deps: Deps): void => {
  const { stopping, logger } = deps;
  const responses = createResponseStream(call, deps.slowReaders);
  const serve = async (): Promise<void> => {
    const request = readReadRequest(message);
    const answer = request.count === null ? answerSubscription : answerRead;
    await answer(deps, request, responses);
  };
  const fail = (error: unknown): void => {
    if (responses.signal.aborted) return;
    if (!(error instanceof CallFailure))
      logger.warn({ err: error }, "A read of the event log failed");
    call.emit("error", toServiceError(asFailure(error)));
  };
  const stop = (): void => fail(unavailable("the event log is stopping"));
  stopping.addEventListener("abort", stop);
  serve()
    .then(() => call.end(), fail)
    .finally(() => stopping.removeEventListener("abort", stop));
  if (stopping.aborted) stop();
};

/** The db-client chooses between Append and BatchAppend by this list. */
const supportedMethods = (): SupportedMethods => {
  const answer = new features.SupportedMethods().setEventStoreServerVersion(SERVER_VERSION);
  for (const name of ["append", "batchappend", "delete", "read", "tombstone"]) {
    answer.addMethods(new features.SupportedMethod().setServiceName(STREAMS).setMethodName(name));
  }
  return answer;
};
