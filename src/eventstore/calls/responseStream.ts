import type { ReadReq, ReadResp } from "@eventstore/db-client/generated/streams_pb.js";
import type { ServerCall } from "../grpc/call.ts";

/** A response of Read: events are encoded already, others are messages. */
type Response = ReadResp | Buffer;

export type ReadCall = ServerCall<ReadReq, Response>;

/** The responses of a read, with flow control. */
export type ResponseStream = {
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal;
  /** Resolves when there is room for more; undefined if there is. Sends nothing after the caller has left. */
  send(response: Response): Promise<void> | undefined;
};

/** The number of callers that do not take their responses fast enough. Each of them holds a page or two in memory. */
export type SlowReaders = { count: number };

/** Creates the response stream of a call. It ends when the caller leaves. */
export const createResponseStream = (call: ReadCall, slowReaders: SlowReaders): ResponseStream => {
  const gone = new AbortController();
  let drained: (() => void) | null = null;
  const leave = (): void => {
    gone.abort();
    drained?.();
  };
  call.on("cancelled", leave);
  call.on("close", leave);
  call.on("error", leave);
  call.on("drain", () => drained?.());
  return {
    signal: gone.signal,
    send: (response) => {
      if (gone.signal.aborted || call.write(response)) return undefined;
      return new Promise((resolve) => {
        slowReaders.count += 1;
        drained = () => {
          drained = null;
          slowReaders.count -= 1;
          resolve();
        };
        if (gone.signal.aborted) drained();
      });
    },
  };
};
