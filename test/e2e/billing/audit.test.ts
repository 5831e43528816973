import { constants } from "node:buffer";
import { createHash } from "node:crypto";
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { exportJWK, generateKeyPair } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyExport } from "../../../src/cli/audit/verify.ts";
import { createTerminal } from "../../../src/cli/terminal.ts";
import { hashOf } from "../../../src/domain/billing/planLines.ts";
import { newId } from "../../../src/platform/ids.ts";
import { createStatements } from "../../../src/stores/billing/statements.ts";
import { type Account, call, eventually, signUp } from "../../support/client.ts";
import { startTestService, type TestService } from "../../support/service.ts";

const formats = ["jsonl", "csv"] as const;

/** Exports, verified by the command line without a service. */
describe("an export of a plan's history", () => {
  let service: TestService;
  let folder: string;
  let account: Account;
  const files: Record<string, string> = {};
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "runledger-audit-"));
    service = await startTestService({}, ["api", "projections", "dispatcher"]);
    account = await signUp(service.url);
    for (const plan of ["starter", "team"]) {
      const { body } = await ask("POST", "/plan/change", { plan });
      await ask("POST", `/plan/change/${body.id}/confirm`);
    }
    for (const format of formats) files[format] = await exported(format);
  });
  afterAll(async () => {
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = (method: string, route: string, body?: unknown) =>
    call(service.url, method, `/api/v1${route}`, { bearer: account.accessToken, body });
  const exported = async (format: string, token = account.accessToken) => {
    const response = await fetch(`${service.url}/api/v1/plan/history/export?format=${format}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^(application\/x-ndjson|text\/csv)/);
    expect(response.headers.get("content-disposition")).toMatch(/^attachment; filename="plan-/);
    return response.text();
  };
  const auditOf = async () => {
    const events: { type: string; data: Record<string, unknown> }[] = [];
    for await (const { type, data } of service.platform.log.readStream(
      `audit-${account.organizationId}`,
    )) {
      events.push({ type, data: data as Record<string, unknown> });
    }
    return events;
  };
  let written = 0;
  const verify = async (
    text: string | Buffer,
    options: Partial<Parameters<typeof verifyExport>[1]> = {},
  ) => {
    written += 1;
    const file = path.join(folder, `${written}`);
    await writeFile(file, text);
    let said = "";
    const terminal = createTerminal({
      json: false,
      output: { write: (part: string) => (said += part) },
      environment: {},
    });
    const all = { asOf: null, knownAt: null, jwks: null, key: null, ...options };
    const code = await verifyExport(file, all, terminal);
    return { code, said };
  };

  it.each(formats)("verifies %s without a service and replays any time of it", async (format) => {
    const text = files[format] ?? "";
    const { body } = await ask("GET", "/plan/history");
    const { code, said } = await verify(text);
    expect([code, said]).toEqual([0, expect.stringContaining("7 events of organisation")]);
    expect(said).toContain("At its end the plan is team by the month.");
    expect(said).toContain("Compare it with --jwks or --key");
    for (const [nth, plan] of [
      [0, "free"],
      [3, "starter by the month"],
      [6, "team by the month"],
    ] as const) {
      const asOf = body.items[nth].occurred_at;
      expect((await verify(text, { asOf })).said).toContain(`On ${asOf} the plan is ${plan}.`);
    }
    expect((await verify(text, { knownAt: body.items[0].recorded_at })).said).toContain("is free");
  });

  it("trusts only heads signed with the service's keys", async () => {
    const text = files.jsonl ?? "";
    const address = `${service.url}/api/v1/auth/jwks.json`;
    const keys = await fetch(address).then((answer) => answer.text());
    const kid = JSON.parse(keys).keys[0].kid;
    const file = path.join(folder, "jwks.json");
    await writeFile(file, keys);
    for (const options of [{ jwks: file }, { jwks: address }, { key: kid }]) {
      const { code, said } = await verify(text, options);
      expect([code, said]).toEqual([0, expect.stringContaining("which you trust")]);
    }
    await writeFile(file, '{"keys": []}');
    expect(await verify(text, { jwks: file })).toEqual({
      code: 1,
      said: expect.stringContaining("not among the keys of --jwks"),
    });
    expect((await verify(text, { key: "another" })).code).toBe(1);
    await expect(verify(text, { jwks: path.join(folder, "nothing") })).rejects.toMatchObject({
      exitCode: 3,
    });
    await expect(
      verifyExport(
        path.join(folder, "none"),
        { asOf: null, knownAt: null, jwks: null, key: null },
        createTerminal({ json: true, output: { write: () => 0 }, environment: {} }),
      ),
    ).rejects.toMatchObject({ exitCode: 2 });
  });

  it("is damaged if any character changes, also in its head", async () => {
    const at = fc.record({
      format: fc.constantFrom(...formats),
      where: fc.nat(),
      to: fc.constantFrom(...'A0x"\n,'),
    });
    await fc.assert(
      fc.asyncProperty(at, async ({ format, where, to }) => {
        const text = files[format] ?? "";
        const index = where % text.length;
        fc.pre(text[index] !== to);
        const altered = text.slice(0, index) + to + text.slice(index + 1);
        const line = text.slice(0, index).split("\n").length;
        const { code, said } = await verify(altered);
        expect(code).toBe(1);
        const isHead = line === text.split("\n").length - 1;
        // A changed line feed splits or joins lines.
        const isSplit = to === "\n" || text[index] === "\n";
        const isFirst = format === "csv" && line === 1;
        if (!isHead && !isSplit && !isFirst) expect(said).toContain(`Line ${line} was altered`);
      }),
      { numRuns: 150 },
    );
  });

  it("is damaged if its end is cut off, with or without the head", async () => {
    for (const format of formats) {
      const lines = (files[format] ?? "").split("\n").slice(0, -1);
      const head = lines.at(-1) ?? "";
      const first = format === "csv" ? 1 : 0;
      const cut = [...lines.slice(0, first + 4), head, ""].join("\n");
      expect((await verify(cut)).said).toContain(
        `Removed after line ${first + 4}: events 5 to 7 of the history.`,
      );
      const headless = `${lines.slice(0, -1).join("\n")}\n`;
      expect((await verify(headless)).said).toContain("not a signed head");
      expect((await verify((files[format] ?? "").slice(0, -1))).said).toContain(
        "its end is missing",
      );
    }
    expect((await verify("")).code).toBe(1);
    expect((await verify(Buffer.from([0xff, 0x0a]))).code).toBe(1);
  });

  it("reports converted line ends", async () => {
    for (const format of formats) {
      const { code, said } = await verify((files[format] ?? "").replaceAll("\n", "\r\n"));
      expect(code).toBe(1);
      expect(said).toContain("ends with CR LF");
      expect(said).not.toContain("Removed after");
    }
  });

  it("limits the claims of a head with a foreign signature", async () => {
    const { privateKey } = await generateKeyPair("ES256", { extractable: true });
    const privateJwk = await exportJWK(privateKey);
    const active = { kid: "own", privateJwk };
    const ring = { current: () => ({ active }) } as unknown as Parameters<
      typeof createStatements
    >[0]["ring"];
    const digest = (text: string) => createHash("sha256").update(text).digest("hex");
    const signed = async (lines: string, claims: object) => {
      const all = {
        organization_id: account.organizationId,
        exported_at: "2026-02-01T00:00:00.000Z",
        format: "jsonl",
        count: 0,
        hash: null,
        sha256: digest(lines),
        ...claims,
      };
      const { jws } = await createStatements({ ring }).sign("plan-history-head", all);
      return verify(`${lines}{"head":"${jws}"}\n`);
    };
    const [, kept = ""] = (files.jsonl ?? "").split("\n");
    const { data, metadata } = JSON.parse(kept);
    const stranger = { id: newId(), type: "PlanGivenAway", data, metadata };
    const hash = hashOf(null, stranger, digest);
    const { id, type: event } = stranger;
    const line = { sequence: 1, id, event, plan_before: "free", plan_after: "business" };
    const text = `${JSON.stringify({ ...line, data, metadata, previous_hash: null, hash })}\n`;
    expect(await signed(text, { count: 1, hash })).toEqual({
      code: 1,
      said: expect.stringContaining("Line 1 contains an event that this version does not know."),
    });
    expect((await signed("", {})).code).toBe(0);
    for (const claims of [
      { count: Number.MAX_SAFE_INTEGER, hash },
      { organization_id: "\u001b[2K mine: all of it signed by a key that you trust" },
      { exported_at: "today by the key that you trust" },
    ]) {
      expect(await signed("", claims)).toEqual({
        code: 1,
        said: expect.stringContaining("its signature does not match"),
      });
    }
  });

  it("verifies a file larger than the maximum string length", async () => {
    const file = path.join(folder, "large");
    await writeFile(file, "");
    await truncate(file, constants.MAX_STRING_LENGTH + 1);
    const options = { asOf: null, knownAt: null, jwks: null, key: null };
    const terminal = createTerminal({ json: true, output: { write: () => 0 }, environment: {} });
    expect(await verifyExport(file, options, terminal)).toBe(1);
  });

  it("is recorded in the audit log, as is a replay", async () => {
    const before = (await auditOf()).length;
    const text = await exported("csv");
    await ask("GET", "/plan/history");
    await ask("GET", `/plan/history?as_of=${encodeURIComponent("2030-01-01T00:00:00Z")}`);
    const [taken, replayed, ...more] = (await auditOf()).slice(before);
    expect(more).toEqual([]);
    expect(taken).toMatchObject({
      type: "PlanHistoryExported",
      data: { format: "csv", count: 7, hash: text.split("\n").at(-3)?.split(",").at(-1) },
    });
    expect(replayed).toMatchObject({
      type: "PlanHistoryReplayed",
      data: { asOf: "2030-01-01T00:00:00.000Z", knownAt: null, plan: "team" },
    });
  });

  it("stays intact after a person is erased", async () => {
    const gone = await signUp(service.url);
    const heir = await call(service.url, "POST", "/api/v1/plan/change", {
      bearer: gone.accessToken,
      body: { plan: "starter" },
    });
    expect(heir.status).toBe(201);
    const before = await exported("jsonl", gone.accessToken);
    const erased = await call(service.url, "DELETE", "/api/v1/auth/me", {
      bearer: gone.accessToken,
      body: { password: gone.password },
    });
    expect(erased.status).toBe(204);
    // The log still contains the exported lines.
    const { planAudit } = service.core.commands;
    const context = {
      actor: { type: "system" as const, id: "test" },
      organizationId: gone.organizationId,
      correlationId: account.userId,
      causationId: account.userId,
    };
    const after = await eventually(
      async () => {
        let text = "";
        for await (const part of planAudit.exportHistory(context, gone.organizationId, "jsonl")) {
          text += part;
        }
        return text;
      },
      (text) => text.includes("PlanStarted"),
    );
    expect((await verify(before)).code).toBe(0);
    expect((await verify(after)).code).toBe(0);
    expect(after.startsWith(before.split("\n").slice(0, 2).join("\n"))).toBe(true);
    expect(after).not.toContain(gone.email);
  });
});
