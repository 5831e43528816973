import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Api } from "./api.ts";

type Screenshot = { readonly step_number: number; readonly url: string };

export type Artifacts = {
  readonly folder: string;
  /** Paths of the pictures, in the order of the steps. */
  readonly screenshots: readonly string[];
  /** Path of the Playwright Python script. */
  readonly script: string;
};

/** Fetches an execution's pictures and its Playwright Python script into a folder under the data folder. */
export const saveArtifacts = async (
  api: Api,
  dataDir: string,
  executionId: string,
): Promise<Artifacts> => {
  const folder = join(dataDir, "runs", executionId);
  await mkdir(folder, { recursive: true });
  const { items } = await api.call<{ items: readonly Screenshot[] }>(
    "GET",
    `/tests/${executionId}/screenshots`,
  );
  const screenshots: string[] = [];
  for (const { step_number, url } of [...items].sort((a, b) => a.step_number - b.step_number)) {
    const path = new URL(url, "http://service").pathname;
    const { bytes, contentType } = await api.download(path);
    const extension = contentType === "image/png" ? "png" : "jpg";
    const file = join(folder, `step-${String(step_number).padStart(3, "0")}.${extension}`);
    await writeFile(file, bytes);
    screenshots.push(file);
  }
  const script = join(folder, "test.py");
  await writeFile(script, (await api.download(`/api/v1/tests/${executionId}/export/python`)).bytes);
  return { folder, screenshots, script };
};
