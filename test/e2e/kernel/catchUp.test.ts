import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type RunningService, startService } from "../../../src/main.ts";
import { type Config, loadConfig } from "../../../src/platform/config.ts";
import type { NewEvent } from "../../../src/platform/eventLog/port.ts";
import { newId } from "../../../src/platform/ids.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { dropReadModels } from "../../../src/projections/kernel/dropReadModels.ts";
import { call, callOnce, eventually, signUp } from "../../support/client.ts";
import { cloneServiceDatabase, type TestDatabase } from "../../support/postgres.ts";

const backlogged = (): NewEvent => {
  const at = new Date().toISOString();
  return {
    id: newId(),
    type: "Backlogged",
    data: {},
    metadata: {
      $correlationId: newId(),
      $causationId: newId(),
      actor: { type: "system", id: "test" },
      organization_id: null,
      occurred_at: at,
      recorded_at: at,
      schema_version: 1,
    },
  };
};

describe("read models that are far behind the log", () => {
  let database: TestDatabase;
  let folder: string;
  let service: RunningService | null = null;
  afterEach(async () => {
    await service?.stop();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (roles: Config["roles"]) => {
    const settings = { PORT: "0", DATA_DIR: folder, DATABASE_URL: database.url };
    const config = loadConfig({ ...settings, RATE_LIMIT: "off", LOG_LEVEL: "error" });
    service = await startService({ ...config, roles }, createLogger({ level: "silent" }));
    return service;
  };
  const restart = async (roles: Config["roles"]) => {
    await service?.stop();
    return start(roles);
  };

  it("answers 503 with the progress until they have caught up, then the truth", async () => {
    folder = await mkdtemp(path.join(tmpdir(), "runledger-behind-"));
    database = await cloneServiceDatabase();
    const first = await start(["api", "projections"]);
    const { accessToken: bearer } = await signUp(first.url ?? "");
    const { body: project } = await call(first.url ?? "", "POST", "/api/v1/projects", {
      bearer,
      body: { name: "Shop" },
    });
    const events = Array.from({ length: 1_001 }, backlogged);
    await first.platform.log.append("backlog-1", events, "any");
    await dropReadModels(first.platform.database.db as never);

    const behind = await restart(["api"]);
    const list = (url: string | null) => callOnce(url ?? "", "GET", "/api/v1/projects", { bearer });
    const early = await list(behind.url);
    expect(early).toMatchObject({
      status: 503,
      body: { detail: expect.stringMatching(/read models are being built .* \d+ % done/) },
    });
    expect(Number(early.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await call(behind.url ?? "", "GET", "/api/v1/health/live")).toMatchObject({
      status: 200,
    });

    const whole = await restart(["api", "projections"]);
    const found = await eventually(
      () => list(whole.url),
      ({ status }) => status === 200,
    );
    expect(found.body.items).toMatchObject([{ id: project.id }]);
  });
});
