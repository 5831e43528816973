import {
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
} from "@grpc/grpc-js";

/** So many bytes may be on their way to the socket before a call is told to wait. */
const MAX_UNSENT_BYTES = 128 * 1024;
/** What a message counts whose size is not known before it is encoded: those are the small ones. */
const SMALL = 256;

/**
 * Lets a call hand over its next message while those before it are still being flushed. Left alone,
 * grpc-js sends one message a flush; this way all that gathers during one flush goes out with the next.
 */
export const sendAhead: ServerInterceptor = (_method, call) => {
  let unsent = 0;
  let waiting: (() => void) | null = null;
  const ahead: ServerInterceptingCallInterface = {
    sendMessage: (message, callback) => {
      const size = Buffer.isBuffer(message) ? message.length : SMALL;
      unsent += size;
      call.sendMessage(message, () => {
        unsent -= size;
        if (waiting && unsent < MAX_UNSENT_BYTES) {
          const next = waiting;
          waiting = null;
          next();
        }
      });
      if (unsent < MAX_UNSENT_BYTES) callback();
      else waiting = callback;
    },
    start: (listener) => call.start(listener),
    sendMetadata: (metadata) => call.sendMetadata(metadata),
    sendStatus: (status) => call.sendStatus(status),
    startRead: () => call.startRead(),
    getPeer: () => call.getPeer(),
    getDeadline: () => call.getDeadline(),
    getHost: () => call.getHost(),
    getAuthContext: () => call.getAuthContext(),
    getConnectionInfo: () => call.getConnectionInfo(),
    getMetricsRecorder: () => call.getMetricsRecorder(),
  };
  return new ServerInterceptingCall(ahead);
};
