import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import S3rver from "s3rver";

/** An S3 server with one bucket, and the settings for it. */
export type TestS3 = {
  readonly environment: Readonly<Record<string, string>>;
  /** Stops the server, and restarts it at the same address with its data. */
  away(): Promise<void>;
  back(): Promise<void>;
  stop(): Promise<void>;
};

/** The only access key of s3rver. */
const KEY = "S3RVER";

/** Starts a server on loopback. */
export const startTestS3 = async (): Promise<TestS3> => {
  const directory = await mkdtemp(path.join(tmpdir(), "runledger-s3-"));
  const start = async (port: number) => {
    const started = new S3rver({
      ...{ address: "127.0.0.1", port, directory, silent: true },
      configureBuckets: [{ name: "shots" }],
    });
    return { started, port: (await started.run()).port };
  };
  const close = async (running: S3rver): Promise<void> => {
    const closed = once(running.httpServer, "close");
    running.httpServer.close();
    running.httpServer.closeAllConnections();
    await closed;
  };
  const first = await start(0);
  let running: S3rver | null = first.started;
  const away = async (): Promise<void> => {
    const gone = running;
    running = null;
    if (gone) await close(gone);
  };
  return {
    environment: {
      BLOB_STORE: `s3://shots/${randomUUID()}`,
      S3_ENDPOINT: `http://127.0.0.1:${first.port}`,
      AWS_ACCESS_KEY_ID: KEY,
      AWS_SECRET_ACCESS_KEY: KEY,
    },
    away,
    back: async () => {
      running ??= (await start(first.port)).started;
    },
    stop: async () => {
      await away();
      await rm(directory, { recursive: true, force: true });
    },
  };
};
