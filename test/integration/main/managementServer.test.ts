import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { startService } from "../../../src/main.ts";
import { loadConfig } from "../../../src/platform/config.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { startManagementServer } from "../../../src/platform/managementServer.ts";
import { SettingError } from "../../../src/platform/settingError.ts";

describe("management server", () => {
  it("names the setting for a port in use and stops the database that was starting", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const config = loadConfig({
      PORT: "0",
      METRICS_PORT: String(port),
      DATA_DIR: path.join(tmpdir(), "runledger-never-made"),
    });
    let stops = 0;
    const stop = async () => {
      stops += 1;
    };
    const starting = startService(
      config,
      createLogger({ level: "silent" }),
      Promise.resolve({ url: "postgres://127.0.0.1:1/never", stop }),
    );
    const error = await starting.catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(SettingError);
    expect(String(error)).toMatch(/METRICS_PORT .*EADDRINUSE/);
    expect(stops).toBe(1);
    other.close();
  });

  it("answers known requests only", async () => {
    const listener = await startManagementServer({
      host: "127.0.0.1",
      port: 0,
      metrics: async () => {
        throw new Error("a secret place");
      },
      phase: () => "running",
      trouble: async () => "bus (cannot be reached)",
    });
    const ask = async (where: string, method = "GET") => {
      const response = await fetch(`${listener.url}${where}`, { method });
      return [response.status, await response.text()];
    };
    expect(await ask("/metrics")).toEqual([500, '{"detail":"The request failed."}']);
    expect(await ask("/health/live?x=%zz")).toEqual([200, '{"status":"live"}']);
    expect(await ask("/health/live", "HEAD")).toEqual([200, ""]);
    expect(await ask("/health/ready")).toEqual([
      503,
      '{"detail":"Not ready: bus (cannot be reached)."}',
    ]);
    expect((await ask("/health/live", "POST"))[0]).toBe(405);
    expect((await ask("/"))[0]).toBe(404);
    expect((await ask("//[/metrics"))[0]).toBe(404);
    await listener.close();
  });
});
