import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Service } from "../../service.ts";

export type Artifacts = {
  readonly folder: string;
  /** Paths of the screenshots in step order. */
  readonly screenshots: readonly string[];
  /** Path of the Playwright Python script. */
  readonly script: string;
};

/** Downloads the screenshots of an execution and its Playwright script in Python into the data folder. */
export const saveArtifacts = async (
  service: Service,
  dataDir: string,
  executionId: string,
): Promise<Artifacts> => {
  const folder = join(dataDir, "runs", executionId);
  await mkdir(folder, { recursive: true });
  const path = { execution_id: executionId };
  const { items } = await service.ask((client, signal) =>
    client.GET("/api/v1/tests/{execution_id}/screenshots", { params: { path }, signal }),
  );
  const screenshots: string[] = [];
  for (const { step_number, browser } of [...items].sort((a, b) => a.step_number - b.step_number)) {
    let contentType: string | null = null;
    const bytes = await service.ask<ArrayBuffer>(async (client, signal) => {
      const reply = await client.GET(
        "/api/v1/tests/{execution_id}/screenshots/{browser}/{step_number}",
        {
          params: { path: { ...path, browser, step_number } },
          parseAs: "arrayBuffer",
          signal,
        },
      );
      contentType = reply.response.headers.get("content-type");
      return reply;
    });
    const extension = contentType === "image/png" ? "png" : "jpg";
    const file = join(folder, `step-${String(step_number).padStart(3, "0")}.${extension}`);
    await writeFile(file, Buffer.from(bytes));
    screenshots.push(file);
  }
  const script = join(folder, "test.py");
  const text = await service.ask((client, signal) =>
    client.GET("/api/v1/tests/{execution_id}/export/python", {
      params: { path },
      parseAs: "text",
      signal,
    }),
  );
  await writeFile(script, text);
  return { folder, screenshots, script };
};
