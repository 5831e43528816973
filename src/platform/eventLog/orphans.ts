import { Subchannel } from "@grpc/grpc-js/build/src/subchannel.js";

type Orphan = { refcount?: unknown; continueConnecting?: unknown };

let isDone = false;

/**
 * Has the gRPC library let go of connections that nobody uses. One that is given up while it waits to
 * connect again (its server is away) goes on, connects when the server is back, and then stays open for as long
 * as the process lives: a connection for each call that failed during an outage (seen with @grpc/grpc-js 1.14.7,
 * whose `unref` stops a connection that is being made or in use, and forgets the one that waits).
 */
export const letOrphansGo = (): void => {
  if (isDone) return;
  isDone = true;
  const { unref } = Subchannel.prototype;
  Subchannel.prototype.unref = function (this: Subchannel): void {
    unref.call(this);
    const orphan = this as unknown as Orphan;
    if (orphan.refcount === 0) orphan.continueConnecting = false;
  };
};
