import { connect, createServer, type Socket } from "node:net";

/** A wire to Postgres that can be cut, or made deaf in one direction. */
export type Proxy = {
  readonly url: string;
  /** Breaks all connections and takes no new ones. */
  cut(): void;
  /** Takes connections again. */
  restore(): void;
  /** From now on the database hears everything on the open connections, and its answers are lost. */
  loseAnswers(): void;
  /** How many bytes have gone to the database. */
  sent(): number;
  stop(): Promise<void>;
};

/** Puts a proxy before the database of a connection string. */
export const startProxy = async (databaseUrl: string): Promise<Proxy> => {
  const target = new URL(databaseUrl);
  const pairs = new Set<{ near: Socket; far: Socket; deaf: boolean }>();
  let isCut = false;
  let sent = 0;
  const server = createServer((near) => {
    near.on("error", () => undefined);
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(Number(target.port), target.hostname);
    const pair = { near, far, deaf: false };
    pairs.add(pair);
    const drop = (): void => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    far.on("error", drop);
    far.on("close", drop);
    near.on("close", drop);
    near.on("data", (chunk) => {
      sent += chunk.length;
      far.write(chunk);
    });
    far.on("data", (chunk) => {
      if (!pair.deaf) near.write(chunk);
    });
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(address && typeof address === "object" ? address.port : 0);
    });
  });
  const url = new URL(databaseUrl);
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
    sent: () => sent,
    stop: () => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};
