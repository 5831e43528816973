import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/*
 * Operating systems assign ephemeral ports from 32768 on (Linux, /proc/sys/net/ipv4/ip_local_port_range) or from
 * 49152 on (macOS, Windows; RFC 6335). A port in that range may be in use by another process when the server
 * restarts. Ports below are used on explicit request only.
 */
const FIRST = 12_000;
const LAST = 32_000;
const TRIES = 100;

/** Finds a free TCP port of 127.0.0.1 outside of the ephemeral range. Rejects after 100 attempts. */
export const stablePort = async (): Promise<number> => {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(FIRST, LAST);
    if (await isFree(port)) return port;
  }
  throw new Error(`${TRIES} random ports between ${FIRST} and ${LAST} are in use`);
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
