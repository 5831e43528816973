import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkAnchors } from "../../../src/main/doctor/anchors.ts";
import { loadConfig } from "../../../src/platform/config.ts";
import { type PublishedText, publish } from "../../../src/platform/publishing/publish.ts";
import { anchors } from "../../../src/stores/audit/anchors.ts";
import { deliverCheckpoints } from "../../../src/workers/audit/anchoring.ts";
import { type AuditKit, startAuditKit } from "../../support/auditKit.ts";
import { startTestS3, type TestS3 } from "../../support/s3Server.ts";

describe("checkpoints outside the service", () => {
  let kit: AuditKit;
  let folder: string;
  let bucket: TestS3;
  let hook: Server;
  let answer = 204;
  const posted: string[] = [];
  const mailed: [string, PublishedText][] = [];
  let now = Date.parse("2026-03-01T00:00:00.000Z");
  beforeAll(async () => {
    [kit, bucket] = await Promise.all([startAuditKit(), startTestS3()]);
    folder = await mkdtemp(path.join(tmpdir(), "anchors-"));
    hook = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      posted.push(body);
      response.writeHead(answer).end();
    });
    await new Promise<void>((resolve) => {
      hook.listen(0, "127.0.0.1", resolve);
    });
    kit.build();
    await kit.append("counter-a", 3);
    await kit.sealed(3);
  });
  afterAll(async () => {
    hook?.close();
    await bucket?.stop();
    await kit?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const config = (places: string) =>
    loadConfig({ ...bucket.environment, DATABASE_URL: kit.databaseUrl, AUDIT_ANCHORS: places });
  const all = () => {
    const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hook?token=secret`;
    const s3 = `${bucket.environment.BLOB_STORE}/anchors`;
    return config(`file://${folder}/kept, ${s3}, ${url}, mailto:auditor@example.test`);
  };
  const deliver = (): Promise<void> => {
    const { auditAnchors: places, s3 } = all();
    const sendMail = async (address: string, published: PublishedText) => {
      mailed.push([address, published]);
    };
    return deliverCheckpoints({
      ...{ db: kit.db, tree: kit.tree, places, clock: () => new Date(now) },
      publish: (place, published) => publish({ s3, sendMail }, place, published),
      logger: pino({ level: "silent" }),
    });
  };
  const sizes = async () => (await anchors(kit.db).list()).map(({ size }) => size);

  it("are delivered to every place, and again when they grow, by mail once a day", async () => {
    await deliver();
    await deliver();
    const { checkpoint } = await kit.tree.load();
    expect(await readFile(path.join(folder, "kept/3.checkpoint"), "utf8")).toBe(checkpoint);
    expect(posted).toEqual([checkpoint]);
    expect(mailed).toEqual([["auditor@example.test", { name: "3.checkpoint", text: checkpoint }]]);
    await kit.append("counter-a", 2);
    await kit.sealed(5);
    await deliver();
    expect(await sizes()).toEqual([3, 3, 3, 3]);
    now += 3_600_000;
    await deliver();
    expect((await sizes()).sort()).toEqual([3, 5, 5, 5]);
    expect(await readdir(path.join(folder, "kept"))).toEqual(["3.checkpoint", "5.checkpoint"]);
    expect(posted).toHaveLength(2);
  });

  it("that cannot be delivered are retried, and the doctor says so without the secret", async () => {
    answer = 500;
    await kit.append("counter-a", 1);
    await kit.sealed(6);
    now += 3_600_000;
    await deliver();
    await deliver();
    expect(posted).toHaveLength(3);
    const findings = await checkAnchors(all());
    expect(findings.map(({ outcome }) => outcome).sort()).toEqual(["note", "ok", "ok", "ok"]);
    expect(findings.find(({ outcome }) => outcome === "note")?.found).toMatch(
      /holds 5 events; the last delivery failed: the webhook answered 500/,
    );
    expect(JSON.stringify(findings)).not.toMatch(/secret|auditor@/);
    answer = 204;
    now += 300_000;
    await deliver();
    expect(posted).toHaveLength(4);
    expect((await anchors(kit.db).list()).every(({ error }) => error === null)).toBe(true);
  });

  it("are missed by the doctor where nobody outside holds one", async () => {
    const [finding] = await checkAnchors(config(""));
    expect(finding).toMatchObject({ outcome: "note" });
    expect(finding?.found).toMatch(/nobody outside the service is known to hold one/);
    const folders = await checkAnchors(config(`file://${folder}/kept`));
    expect(folders[0]?.found).toMatch(/delivered to folders only/);
    expect(() => config("ftp://example.test")).toThrow(/AUDIT_ANCHORS should be places/);
  });
});
