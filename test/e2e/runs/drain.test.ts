import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { type Account, call, makeKey, signUp } from "../../support/client.ts";
import { openRaw } from "../../support/rawHttp.ts";
import { type ServiceProcess, startServiceProcess } from "../../support/serviceProcess.ts";

/** The service as a process, told to end while clients are in the middle of something. */
describe("graceful shutdown on a signal", () => {
  let dataDir: string;
  let service: ServiceProcess;
  let ann: Account;
  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), "runledger-drain-"));
    service = await startServiceProcess(dataDir);
    ann = await signUp(service.url);
  });
  afterEach(async () => {
    await service.end("SIGKILL");
    await rm(dataDir, { recursive: true, force: true });
  });

  /** An upload whose beginning the service has accepted, and whose end is up to the test. */
  const beginUpload = async (key: string, length: number) => {
    const connection = openRaw(service.url);
    connection.send(
      `POST /api/v1/projects HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`,
    );
    expect((await connection.next()).status).toBe(100);
    return connection;
  };
  const openSocket = async () => {
    const address = `${service.url.replace("http", "ws")}/api/v1/ws/execution`;
    const socket = new WebSocket(address, { headers: { cookie: ann.cookie } });
    await once(socket, "open");
    return socket;
  };

  it("completes uploads, long polls and WebSockets and exits with 0", async () => {
    const { key } = await makeKey(service.url, ann);
    const test = await call(service.url, "POST", "/api/v1/tests", {
      bearer: key,
      body: { name: "Waits", text: "Wait 30 s" },
    });
    const queued = await call(service.url, "POST", "/api/v1/cli/cloud-runs", {
      bearer: key,
      body: { test_ids: [test.body.id] },
    });
    const poll = openRaw(service.url);
    poll.send(
      `GET /api/v1/cli/cloud-runs/${queued.body.run_ids[0]}?wait=30&since=2147483647 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
    const body = JSON.stringify({ name: "Uploaded while it ended" });
    const [finishing, hanging] = await Promise.all([
      beginUpload(key, body.length),
      beginUpload(key, body.length),
    ]);
    const socket = await openSocket();
    const goodbye = once(socket, "close");

    const ended = service.end("SIGTERM");
    const [code, reason] = await goodbye;
    expect([code, String(reason)]).toEqual([1001, expect.stringContaining("after")]);
    finishing.send(body);
    const created = await finishing.next();
    expect([created.status, created.headers.connection]).toEqual([201, "close"]);
    expect([200, 503]).toContain((await poll.next()).status);
    expect(await hanging.closed).toBe("");
    expect(await ended).toBe(0);
  });

  it("ends at once on a second signal", async () => {
    const { key } = await makeKey(service.url, ann);
    const hanging = await beginUpload(key, 100);
    const socket = await openSocket();
    const goodbye = once(socket, "close");
    const first = service.end("SIGTERM");
    await goodbye;
    const second = service.end("SIGTERM");
    expect(await first).toBe(130);
    expect(await second).toBe(130);
    expect(await hanging.closed).toBe("");
  });
});
