import type { ServerHttp2Stream } from "node:http2";
import { CallFailure, code, type ServiceFailure } from "../failures.ts";
import { createFrameReader } from "./frames.ts";

/** The receiving direction of a call. */
export type Inbound = {
  pause(): void;
  resume(): void;
  isPaused(): boolean;
};

/** The call that receives. */
export type Receiver = {
  /** Whether the call's status was sent: then messages are discarded. */
  isOver(): boolean;
  /** Decodes and handles a message. Returns false if the call ended because of it. */
  onMessage(message: Buffer): boolean;
  onEnd(): void;
  fail(failure: ServiceFailure): void;
};

export const UNREADABLE: ServiceFailure = {
  code: code.INTERNAL,
  details: "The message cannot be read",
  trailers: {},
};

/** Passes the messages of a stream to a receiver, one by one, unless the call is paused. */
export const createInbound = (
  stream: ServerHttp2Stream,
  receiver: Receiver,
  options: { readonly maxMessageBytes: number; readonly encoding: string },
): Inbound => {
  const readFrames = createFrameReader(options.maxMessageBytes, options.encoding);
  const waiting: Buffer[] = [];
  let isPaused = false;
  let hasEnded = false;
  let isEndReported = false;

  const deliver = (): void => {
    while (waiting.length > 0 && !isPaused && !receiver.isOver()) {
      if (!receiver.onMessage(waiting.shift() as Buffer)) return;
    }
    if (isPaused || receiver.isOver()) return;
    if (!hasEnded) stream.resume();
    else if (!isEndReported) {
      isEndReported = true;
      receiver.onEnd();
    }
  };
  stream.on("data", (piece: Buffer) => {
    if (receiver.isOver()) return;
    try {
      waiting.push(...readFrames(piece));
    } catch (error) {
      const isKnown = error instanceof CallFailure;
      receiver.fail(
        isKnown ? { code: error.code, details: error.message, trailers: {} } : UNREADABLE,
      );
      return;
    }
    deliver();
    if (isPaused) stream.pause();
  });
  stream.on("end", () => {
    hasEnded = true;
    deliver();
  });

  return {
    pause: () => {
      isPaused = true;
    },
    resume: () => {
      if (!isPaused) return;
      isPaused = false;
      process.nextTick(deliver);
    },
    isPaused: () => isPaused,
  };
};
