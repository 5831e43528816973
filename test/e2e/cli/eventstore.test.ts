import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EventStoreDBClient, jsonEvent } from "@eventstore/db-client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runledger } from "./kit.ts";

/** `runledger eventstore`, used through the client of EventStoreDB. */
describe("runledger eventstore", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "runledger-eventstore-"));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  /** Starts the log, runs `work` and stops the log with a signal. */
  const withLog = async (
    signal: NodeJS.Signals,
    use: (url: string) => Promise<void>,
    flags: readonly string[] = ["--port", "0"],
  ) => {
    let used: Promise<void> | null = null;
    const ended = await runledger(
      ["eventstore", "--data", folder, ...flags],
      {},
      (stdout, kill) => {
        const url = /^esdb:\S+$/m.exec(stdout)?.[0];
        if (!url || used) return;
        used = use(url).finally(() => kill(signal));
        used.catch(() => undefined);
      },
    );
    await used;
    return ended;
  };

  const withClient = async <T>(
    url: string,
    use: (client: EventStoreDBClient) => Promise<T>,
  ): Promise<T> => {
    const client = EventStoreDBClient.connectionString(url);
    try {
      return await use(client);
    } finally {
      await client.dispose();
    }
  };

  const dataOf = async (client: EventStoreDBClient, stream: string): Promise<unknown[]> => {
    const data: unknown[] = [];
    for await (const { event } of client.readStream(stream)) data.push(event?.data);
    return data;
  };

  it("prints its address, keeps events over a restart and stops on SIGINT and SIGTERM", async () => {
    const stream = `orders-${randomUUID()}`;
    const first = await withLog("SIGTERM", (url) =>
      withClient(url, async (client) => {
        const events = [1, 2].map((n) => jsonEvent({ type: "OrderPlaced", data: { n } }));
        await client.appendToStream(stream, events);
      }),
    );
    expect(first).toMatchObject({ code: 0, stderr: "" });

    const everywhere = ["--port", "0", "--host", "0.0.0.0"];
    const second = await withLog(
      "SIGINT",
      (url) =>
        withClient(url, async (client) => {
          expect(await dataOf(client, stream)).toEqual([{ n: 1 }, { n: 2 }]);
          await client.appendToStream(stream, jsonEvent({ type: "OrderPlaced", data: { n: 3 } }), {
            expectedRevision: 1n,
          });
          expect(await dataOf(client, stream)).toHaveLength(3);
        }),
      everywhere,
    );
    expect(second).toMatchObject({ code: 0, stderr: "" });
  });

  it("refuses a folder that another process uses", async () => {
    await withLog("SIGINT", async (url) => {
      const refused = await runledger(["eventstore", "--data", folder, "--port", "0"]);
      expect(refused.code).toBe(3);
      expect(refused.stderr).toMatch(
        /^The folder \S+ is in use by process \d+\. Stop that process, or choose another folder with --data\.\n$/,
      );
      await withClient(url, (client) =>
        client.appendToStream("still-1", jsonEvent({ type: "StillThere", data: {} })),
      );
    });
  });

  it("reports a port in use", async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, "127.0.0.1", () => {
        const address = other.address();
        resolve(address && typeof address === "object" ? address.port : 0);
      });
    });
    const refused = await runledger(["eventstore", "--data", folder, "--port", String(port)]);
    other.close();
    expect(refused.stderr).toBe(
      `Port ${port} of 127.0.0.1 is in use. Stop the process that listens there, or choose another port with --port.\n`,
    );
    expect(refused.code).toBe(3);
  });

  it("exits with 2 without a folder or with an invalid port", async () => {
    const nothing = await runledger(["eventstore"]);
    expect(nothing.stderr).toContain("--data");
    expect(nothing.code).toBe(2);
    const many = await runledger(["eventstore", "--data", folder, "--port", "many"]);
    expect(many.stderr).toContain("Write a number from 0 to 65535.");
    expect(many.code).toBe(2);
  });
});
