import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { checkDataFolder } from "../../../../src/main/doctor/machine.ts";
import { loadConfig } from "../../../../src/platform/config.ts";

it("reports the file if DATA_DIR is a file or is below one", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "runledger-folder-"));
  const file = path.join(folder, "file");
  await writeFile(file, "");
  for (const DATA_DIR of [file, path.join(file, "data"), path.join(file, "far", "data")]) {
    expect(await checkDataFolder(loadConfig({ DATA_DIR }))).toMatchObject([
      { outcome: "bad", found: `${file} is not a folder`, advice: "Set DATA_DIR to a folder." },
    ]);
  }
  await rm(folder, { recursive: true });
});
