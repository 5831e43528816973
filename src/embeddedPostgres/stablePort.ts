import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/*
 * Systems give away ports by themselves, to outgoing connections and to who asks for any port: from
 * 32768 on (Linux, /proc/sys/net/ipv4/ip_local_port_range), from 49152 on (macOS, Windows; RFC 6335).
 * A server whose port is among them may find it taken when it starts again a second later, for as long
 * as the other likes. Those below are given to who asks for them by number alone.
 */
const FIRST = 12_000;
const LAST = 32_000;
const TRIES = 100;

/**
 * A TCP port of 127.0.0.1 on which nobody listens now, and which nobody is given while its server is away
 * for a moment. Rejects when a hundred random ones were taken.
 */
export const stablePort = async (): Promise<number> => {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(FIRST, LAST);
    if (await isFree(port)) return port;
  }
  throw new Error(`${TRIES} ports between ${FIRST} and ${LAST} were tried, and all were taken`);
};

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE" || error.code === "EACCES") resolve(false);
      else reject(error);
    });
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
