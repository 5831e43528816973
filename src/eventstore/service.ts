import type { ReadReq } from "@eventstore/db-client/generated/streams_pb.js";
import { answerAppend } from "./calls/append.ts";
import { answerBatchAppend, type BatchCall } from "./calls/batchAppend.ts";
import { decodeBatchRequest } from "./protocol/batchAppend.ts";
import { answerDelete, answerTombstone } from "./calls/delete.ts";
import { asFailure, CallFailure, toServiceError, unavailable } from "./failures.ts";
import { type Method, onRequest, type ServerCall } from "./grpc/call.ts";
import { type Crowd, createOutlet, type ReadCall } from "./calls/responseStream.ts";
import { features, shared, streams } from "./protocol/messages.ts";
import { answerRead, readReadRequest } from "./calls/read.ts";
import type { Reader } from "./read/reader.ts";
import { answerSubscription } from "./calls/subscribe.ts";
import type { Tail } from "./read/tail.ts";
import { serializeAnswer } from "./protocol/fields.ts";
import type { EngineLogger, Writer } from "./write/writer.ts";

/** The release of EventStoreDB whose behaviour this engine is held to. */
const SERVER_VERSION = "23.10.0";

const STREAMS = "event_store.client.streams.Streams";
const FEATURES = "event_store.client.server_features.ServerFeatures";

type SupportedMethods = InstanceType<(typeof features)["SupportedMethods"]>;

type Deps = {
  readonly reader: Reader;
  readonly writer: Writer;
  readonly tail: Tail;
  readonly logger: EngineLogger;
  readonly stopping: AbortSignal;
  readonly crowd: Crowd;
};

// biome-ignore lint/suspicious/noExplicitAny: each method has messages of its own.
type AnyMethod = Method<any, any>;

/** The methods that are built: all of Streams, and ServerFeatures. `stopping` ends what is open with UNAVAILABLE. */
export const createMethods = (deps: Deps): ReadonlyMap<string, AnyMethod> => {
  const { writer, stopping } = deps;
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
        encode: serializeAnswer,
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
  ]);
};

/** A method whose messages are read and written by the generated code. */
const method = <Request, Response extends Buffer | { serializeBinary(): Uint8Array }>(
  request: { deserializeBinary(bytes: Uint8Array): Request },
  serve: (call: ServerCall<Request, Response>) => unknown,
): Method<Request, Response> => ({
  decode: (bytes) => request.deserializeBinary(new Uint8Array(bytes)),
  encode: serializeAnswer,
  serve,
});

const serveRead = (call: ReadCall, asked: ReadReq, deps: Deps): void => {
  const { stopping, logger } = deps;
  const outlet = createOutlet(call, deps.crowd);
  const serve = async (): Promise<void> => {
    const request = readReadRequest(asked);
    const answer = request.count === null ? answerSubscription : answerRead;
    await answer(deps, request, outlet);
  };
  const fail = (error: unknown): void => {
    if (outlet.signal.aborted) return;
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

/** Only what is built is advertised: the db-client chooses its ways by this list. */
const supportedMethods = (): SupportedMethods => {
  const answer = new features.SupportedMethods().setEventStoreServerVersion(SERVER_VERSION);
  for (const name of ["append", "batchappend", "delete", "read", "tombstone"]) {
    answer.addMethods(new features.SupportedMethod().setServiceName(STREAMS).setMethodName(name));
  }
  return answer;
};
