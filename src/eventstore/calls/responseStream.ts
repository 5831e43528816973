import type { ReadReq, ReadResp } from "@eventstore/db-client/generated/streams_pb.js";
import type { ServerCall } from "../grpc/call.ts";

/** An answer to a Read: events come encoded, the rest as messages. */
type Answer = ReadResp | Buffer;

export type ReadCall = ServerCall<ReadReq, Answer>;

/** The sending end of a read: it waits for a slow reader, and knows when the reader is gone. */
export type Outlet = {
  readonly signal: AbortSignal;
  /** Resolves when there is room for more. After the caller is gone it sends nothing and resolves. */
  send(answer: Answer): Promise<void> | undefined;
};

/** How many readers are waited for at the moment: each holds on to a page or two. */
export type Crowd = { waiting: number };

/** Makes the outlet of a call, one of a crowd. It ends when the caller leaves. */
export const createOutlet = (call: ReadCall, crowd: Crowd): Outlet => {
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
    send: (answer) => {
      if (gone.signal.aborted || call.write(answer)) return undefined;
      return new Promise((resolve) => {
        crowd.waiting += 1;
        drained = () => {
          drained = null;
          crowd.waiting -= 1;
          resolve();
        };
        if (gone.signal.aborted) drained();
      });
    },
  };
};
