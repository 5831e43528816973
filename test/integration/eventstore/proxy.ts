import { connect, createServer, type Socket } from "node:net";

/** A wire to a server that can be cut, made deaf in one direction, frozen in both, or slow. */
export type WireProxy = {
  readonly url: string;
  /** Breaks all connections and takes no new ones. */
  cut(): void;
  /** Takes connections again. */
  restore(): void;
  /** From now on the server hears everything on the open connections, and its answers are lost. */
  loseAnswers(): void;
  /** From now on nothing gets through, in silence: no byte, and not the news that an end has closed. */
  freeze(): void;
  /** Forwards the held data and all later data. */
  thaw(): void;
  /** Behind its next answer, in one piece with it, a PostgreSQL says that it ends the connection. */
  sayGoodbye(): void;
  /** From now on every byte takes this long, in milliseconds, each way. */
  delay(ms: number): void;
  /** The number of connections that the server holds open. */
  held(): number;
  /** The number of bytes sent to the server. */
  sent(): number;
  stop(): Promise<void>;
};

/** ReadyForQuery, outside of a transaction: the end of each answer of PostgreSQL. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
const FIELDS = Buffer.from(
  "SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0",
);
/** An ErrorResponse, as a backend sends it whose postmaster was killed. */
const GOODBYE = Buffer.concat([Buffer.from([0x45, 0, 0, 0, FIELDS.length + 4]), FIELDS]);

type Pair = { readonly near: Socket; readonly far: Socket; deaf: boolean };

/** Puts a proxy before the server of a connection string. */
export const startProxy = async (serverUrl: string): Promise<WireProxy> => {
  const target = new URL(serverUrl);
  const pairs = new Set<Pair>();
  const line = createLine();
  let isCut = false;
  let isToEnd = false;
  let sent = 0;
  const server = createServer((near) => {
    near.on("error", () => undefined);
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(Number(target.port), target.hostname);
    const pair: Pair = { near, far, deaf: false };
    pairs.add(pair);
    const drop = (): void => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    far.on("error", () => undefined);
    far.on("close", () => line.carry(drop));
    near.on("close", () => line.carry(drop));
    near.on("data", (chunk) =>
      line.carry(() => {
        sent += chunk.length;
        far.write(chunk);
      }),
    );
    far.on("data", (chunk) =>
      line.carry(() => {
        if (pair.deaf) return;
        const isLast = isToEnd && chunk.subarray(-READY.length).equals(READY);
        if (isLast) isToEnd = false;
        near.write(isLast ? Buffer.concat([chunk, GOODBYE]) : chunk);
      }),
    );
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(address && typeof address === "object" ? address.port : 0);
    });
  });
  const url = new URL(serverUrl);
  url.hostname = "127.0.0.1";
  url.port = String(port);
  const cut = (): void => {
    isCut = true;
    for (const { near, far } of pairs) {
      near.destroy();
      far.destroy();
    }
  };
  return {
    url: url.href,
    cut,
    restore: () => {
      isCut = false;
    },
    loseAnswers: () => {
      for (const pair of pairs) pair.deaf = true;
    },
    freeze: line.freeze,
    thaw: line.thaw,
    delay: line.delay,
    sayGoodbye: () => {
      isToEnd = true;
    },
    held: () => [...pairs].filter((pair) => !pair.far.destroyed).length,
    sent: () => sent,
    stop: () => {
      line.thaw();
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};

/** Carries what happens at one end to the other, in its order: at once, later, or not before it thaws. */
const createLine = () => {
  let isFrozen = false;
  let delayMs = 0;
  const waiting: (() => void)[] = [];
  let timer: NodeJS.Timeout | null = null;
  const due: number[] = [];
  const flush = (): void => {
    timer = null;
    while (!isFrozen && waiting.length > 0 && (due[0] ?? 0) <= Date.now()) {
      due.shift();
      waiting.shift()?.();
    }
    if (!isFrozen && waiting.length > 0) {
      timer = setTimeout(flush, Math.max(1, (due[0] ?? 0) - Date.now()));
    }
  };
  return {
    carry: (deliver: () => void): void => {
      if (!isFrozen && delayMs === 0 && waiting.length === 0) {
        deliver();
        return;
      }
      waiting.push(deliver);
      due.push(Date.now() + delayMs);
      if (!timer && !isFrozen) flush();
    },
    freeze: (): void => {
      isFrozen = true;
    },
    thaw: (): void => {
      isFrozen = false;
      delayMs = 0;
      due.fill(0);
      if (!timer) flush();
    },
    delay: (ms: number): void => {
      delayMs = ms;
    },
  };
};
