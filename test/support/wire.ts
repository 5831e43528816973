import { connect, createServer, type Server, type Socket } from "node:net";
import { stablePort } from "../../src/embeddedPostgres/stablePort.ts";

/** A network fault. */
export type WireFault =
  /** Refuses new connections and resets open ones. */
  | "refused"
  /** Resets every connection. */
  | "reset"
  /** Keeps connections open without data. Connections open at this time never carry data again. */
  | "swallowed"
  /** Delivers single bytes. */
  | "slow"
  /** Delivers all data with a delay. */
  | "late";

/** A TCP proxy in front of a part, with faults. */
export type Wire = {
  /** The constant port on 127.0.0.1. */
  readonly port: number;
  /** Sets the fault. Null removes it. */
  set(fault: WireFault | null): Promise<void>;
  /** Returns the number of open client connections. */
  open(): number;
  stop(): Promise<void>;
};

const TRICKLE_MS = 100;
const LATE_MS = 250;

type Pair = { readonly near: Socket; readonly far: Socket | null; isDead: boolean };

type Proxy = {
  readonly target: number;
  readonly pairs: Set<Pair>;
  fault: WireFault | null;
  server: Server | null;
};

/** Starts a proxy in front of a port of 127.0.0.1. */
export const startWire = async (target: number): Promise<Wire> => {
  const proxy: Proxy = { target, pairs: new Set(), fault: null, server: null };
  // No other process gets this port while the proxy refuses connections.
  const port = await listen(proxy, await stablePort());
  return {
    port,
    set: async (next) => {
      proxy.fault = next;
      if (next === "refused") {
        proxy.server?.close();
        proxy.server = null;
        breakAll(proxy);
      } else if (!proxy.server) await listen(proxy, port);
      if (next === "reset") breakAll(proxy);
      if (next === "swallowed") for (const pair of proxy.pairs) pair.isDead = true;
    },
    open: () => proxy.pairs.size,
    stop: async () => {
      const listening = proxy.server;
      proxy.server = null;
      const closed = new Promise<void>((resolve) => {
        if (listening) listening.close(() => resolve());
        else resolve();
      });
      breakAll(proxy);
      await closed;
    },
  };
};

const listen = (proxy: Proxy, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const started = createServer({ allowHalfOpen: false }, (near) => accept(proxy, near));
    started.once("error", reject);
    started.listen(port, "127.0.0.1", () => {
      proxy.server = started;
      const address = started.address();
      resolve(address && typeof address === "object" ? address.port : 0);
    });
  });

const breakAll = ({ pairs }: Proxy): void => {
  for (const { near } of pairs) near.resetAndDestroy();
};

const accept = (proxy: Proxy, near: Socket): void => {
  near.on("error", () => undefined);
  if (proxy.fault === "reset") {
    near.resetAndDestroy();
    return;
  }
  const far = proxy.fault === "swallowed" ? null : connect(proxy.target, "127.0.0.1");
  const pair: Pair = { near, far, isDead: far === null };
  proxy.pairs.add(pair);
  near.on("close", () => {
    proxy.pairs.delete(pair);
    far?.destroy();
  });
  if (!far) {
    near.resume();
    return;
  }
  far.on("error", () => undefined);
  // A dead connection does not report that the other end has closed.
  far.on("close", () => {
    if (!pair.isDead) near.destroy();
  });
  carry(near, far, pair, () => proxy.fault);
  carry(far, near, pair, () => proxy.fault);
};

/** Copies bytes from one socket to another, subject to the current fault. */
const carry = (from: Socket, to: Socket, pair: Pair, fault: () => WireFault | null): void => {
  let held: Buffer[] = [];
  let timer: NodeJS.Timeout | null = null;
  /** Delayed data, oldest first. */
  const onItsWay: { readonly chunk: Buffer; readonly due: number }[] = [];
  let arriving: NodeJS.Timeout | null = null;
  const trickle = (): void => {
    timer = null;
    const bytes = Buffer.concat(held);
    if (bytes.length === 0 || pair.isDead) return;
    const rest = fault() === "slow" ? bytes.subarray(1) : Buffer.alloc(0);
    to.write(bytes.subarray(0, bytes.length - rest.length));
    held = rest.length > 0 ? [rest] : [];
    if (held.length > 0) timer = setTimeout(trickle, TRICKLE_MS);
  };
  const arrive = (chunk: Buffer): void => {
    if (fault() !== "slow" && held.length === 0) {
      to.write(chunk);
      return;
    }
    held.push(chunk);
    timer ??= setTimeout(trickle, TRICKLE_MS);
  };
  const arriveInTurn = (): void => {
    arriving = null;
    for (let next = onItsWay[0]; next && !pair.isDead; next = onItsWay[0]) {
      const left = next.due - performance.now();
      if (left > 0) {
        arriving = setTimeout(arriveInTurn, left);
        return;
      }
      onItsWay.shift();
      arrive(next.chunk);
    }
  };
  from.on("data", (chunk: Buffer) => {
    if (pair.isDead) return;
    const lateMs = fault() === "late" ? LATE_MS : 0;
    if (lateMs === 0 && onItsWay.length === 0) {
      arrive(chunk);
      return;
    }
    onItsWay.push({ chunk, due: performance.now() + lateMs });
    if (!arriving) arriveInTurn();
  });
  from.on("close", () => {
    if (timer) clearTimeout(timer);
    if (arriving) clearTimeout(arriving);
  });
};
