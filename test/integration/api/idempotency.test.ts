import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiError } from "../../../src/api/apiError.ts";
import { executeOnce } from "../../../src/api/edge/idempotency.ts";
import type { OperationResponse } from "../../../src/api/operation.ts";
import type { CommandContext } from "../../../src/commands/kernel/commandLoop.ts";
import { type Database, openDatabase } from "../../../src/platform/database/database.ts";
import { migrate } from "../../../src/platform/database/migrate.ts";
import { AppendOutcomeUnknownError } from "../../../src/platform/eventLog/errors.ts";
import { newId } from "../../../src/platform/ids.ts";
import {
  type IdempotencyKeys,
  idempotencyKeys,
} from "../../../src/stores/kernel/idempotencyKeys.ts";
import { systemContext } from "../../support/counter.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

describe("idempotent requests", () => {
  let target: TestDatabase;
  let database: Database;
  let keys: IdempotencyKeys;
  beforeAll(async () => {
    target = await createTestDatabase();
    database = openDatabase(target.url);
    await migrate(database.db);
    keys = idempotencyKeys({ db: database.db, masterKey: randomBytes(32) });
  });
  afterAll(async () => {
    await database?.close();
    await target?.drop();
  });

  const organizationId = newId();
  const call = (key: string, over: { body?: unknown; url?: string } = {}) => ({
    key,
    principal: {
      kind: "api_key" as const,
      keyId: organizationId,
      keyName: "ci",
      organizationId,
      standing: "api_key" as const,
    },
    method: "POST",
    url: "/api/v1/things",
    body: { a: 1 },
    ifMatch: undefined,
    context: { ...systemContext(), organizationId },
    ...over,
  });
  const quiet = { warn: () => undefined };
  const made: OperationResponse = { status: 201, body: { id: 1 }, headers: { link: "<x>" } };
  const idsOf = (context: CommandContext) => [context.ids?.("a"), context.ids?.("b")];

  it.each([
    ["of ours", new Error("a fault"), 500],
    ["of the log", new AppendOutcomeUnknownError(new Error("?")), 503],
  ])("resume with the same ids after a failure %s", async (_, failure) => {
    const key = newId();
    const contexts: CommandContext[] = [];
    const failing = executeOnce(keys, quiet, call(key), async (context) => {
      contexts.push(context);
      throw failure;
    });
    await expect(failing).rejects.toBe(failure);
    const answer = await executeOnce(keys, quiet, call(key), async (context) => {
      contexts.push(context);
      return made;
    });
    expect(answer).toEqual(made);
    const [first, second] = contexts as [CommandContext, CommandContext];
    expect([first.again, second.again]).toEqual([undefined, true]);
    expect(idsOf(second)).toEqual(idsOf(first));
    const other = call(key, { body: { a: 2 } });
    await expect(executeOnce(keys, quiet, other, async () => made)).rejects.toMatchObject({
      status: 409,
    });
  });

  it("start again with new ids after a refusal", async () => {
    const key = newId();
    const contexts: CommandContext[] = [];
    for (const status of [422, 429, 404]) {
      const refused = executeOnce(keys, quiet, call(key), async (context) => {
        contexts.push(context);
        throw new ApiError(status, "no");
      });
      await expect(refused).rejects.toMatchObject({ status });
    }
    expect(contexts.map(({ again }) => again)).toEqual([undefined, undefined, undefined]);
    expect(new Set(contexts.map((context) => context.ids?.("a"))).size).toBe(3);
  });

  it("replay status, headers, body and position of the first response without acting again", async () => {
    const key = newId();
    const receipt = { position: 42n, eventTypes: ["Made"] };
    await executeOnce(keys, quiet, call(key), async () => ({ ...made, receipt }));
    const again = await executeOnce(keys, quiet, call(key), async () => {
      throw new Error("acted twice");
    });
    expect(again).toEqual({ ...made, headers: { link: "<x>", "x-log-position": "42" }, receipt });
  });

  it("return a response that could not be stored, and resume with the same ids on a repeat", async () => {
    const key = newId();
    const forgetful: IdempotencyKeys = {
      ...keys,
      answer: async (claim) => {
        await keys.leaveOpen(claim);
        throw new Error("the database is away");
      },
    };
    const ids: unknown[] = [];
    const act = async (context: CommandContext) => {
      ids.push(idsOf(context));
      return made;
    };
    expect(await executeOnce(forgetful, quiet, call(key), act)).toEqual(made);
    expect(await executeOnce(keys, quiet, call(key), act)).toEqual(made);
    expect(ids[1]).toEqual(ids[0]);
  });

  it("compare bodies by content", async () => {
    const key = newId();
    const send = (over: { body?: unknown; url?: string }) =>
      executeOnce(keys, quiet, call(key, over), async () => made).then(
        ({ status }) => status,
        ({ status }) => status,
      );
    expect(await send({ body: { a: { b: 1, c: [1] } } })).toBe(201);
    expect(await send({ body: { a: { c: [1], b: 1 } } })).toBe(201);
    for (const body of [{ a: { b: 1, c: 1 } }, { a: [["b", 1]] }, { a: { b: "1", c: [1] } }]) {
      expect(await send({ body })).toBe(409);
    }
    expect(await send({ body: { a: { b: 1, c: [1] } }, url: "/api/v1/things?dry_run=true" })).toBe(
      409,
    );
  });

  it("are released at once when a crashed single process restarts", async () => {
    const key = newId();
    const request = { principal: "api_key:1", organizationId, method: "POST", path: "/", key };
    const begun = await keys.begin({ ...request, content: "x" });
    expect(begun.kind).toBe("claimed");
    expect((await keys.begin({ ...request, content: "x" })).kind).toBe("inFlight");
    await keys.leaveAllOpen();
    const [one, other] = await Promise.all(
      [1, 2].map(() => keys.begin({ ...request, content: "x" })),
    );
    expect([one?.kind, other?.kind].sort()).toEqual(["claimed", "inFlight"]);
  });
});
