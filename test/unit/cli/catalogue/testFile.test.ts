import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readTestFile, writeSyncMark } from "../../../../src/cli/catalogue/testFile.ts";
import { connectionFrom, isUnencrypted, serverFrom } from "../../../../src/cli/connection.ts";
import { readImport } from "../../../../src/domain/formats/readImport.ts";
import { toYaml } from "../../../../src/domain/formats/yaml.ts";

describe("a test file", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "runledger-files-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const fileOf = async (...lines: string[]): Promise<string> => {
    const path = join(folder, "test.yaml");
    await writeFile(path, lines.join("\n"));
    return path;
  };

  it.each<[string[], RegExp]>([
    [["name: x", "steps: [{action: dance}]"], /step 1, action: /],
    [
      ["name: x", "text: Frobnicate"],
      /test\.yaml:2: could not understand "Frobnicate"\. .*Did you mean|test\.yaml:2: could not understand "Frobnicate"/,
    ],
    [["steps: []"], /name is required/],
    [["name: x", "id: 7"], /id /],
    [["name: x", "name: y"], /unique/],
    [["a: &a [1]", "name: *a"], /alias/],
    [["name: x", "text: Go to /", "steps: []"], /text and steps/],
    [["- name: x"], /the test /],
    [["name: x", "data: {columns: [a], rows: [{b: no}]}"], /data/],
    [
      ["name: x", "data: {columns: [a], rows: [[b]]}"],
      /data.rows.0 must give its values by column/,
    ],
    [["name: x", "data: {rows: []}"], /data.columns is required/],
    [["name: x", "data: {columns: [a, a], rows: []}"], /data.columns .*once/],
  ])("rejects %j with the position of the problem", async (lines, message) => {
    const path = await fileOf(...lines);
    await expect(readTestFile(path)).rejects.toMatchObject({
      message: expect.stringMatching(message),
      exitCode: 2,
    });
    await expect(readTestFile(path)).rejects.toThrow(path);
  });

  it("keeps comments on writing the sync mark and detects changed steps", async () => {
    const path = await fileOf(
      "# mine",
      "text: |",
      "  # first",
      "  Go to /login",
      "name: 'Sign in'",
    );
    const file = await readTestFile(path);
    expect(file).toMatchObject({ id: null, version: null, isChanged: true });
    const common = { id: "0199c2a0-7b1e-7c3a-9d4e-1f2a3b4c5d6e", version: 4 };
    await writeSyncMark(file, common);
    const written = await readFile(path, "utf8");
    expect(written).toMatch(/^# mine\ntext: \|\n {2}# first\n {2}Go to \/login\nname: 'Sign in'\n/);
    expect(await readTestFile(path)).toMatchObject({ ...common, isChanged: false });
    expect(file.data).toBe(null);
    await writeFile(path, written.replace("/login", "/sign-in"));
    expect(await readTestFile(path)).toMatchObject({ ...common, isChanged: true });
  });
});

describe("a test file with data rows", () => {
  it("keeps the data rows on writing the sync mark and detects changed rows", async () => {
    const folder = await mkdtemp(join(tmpdir(), "runledger-files-"));
    try {
      const path = join(folder, "test.yaml");
      const steps = [{ action: "navigate", target: "", value: "/${to}", description: "" }].map(
        (step) => ({ ...step, optional: false, disabled: false }),
      );
      const rows = { columns: ["to"], rows: [["login"], ["no"]] };
      const whole = { name: "x", text: "", language: "en", platform: "web", steps, data: rows };
      await writeFile(path, toYaml(whole));
      const file = await readTestFile(path);
      expect(file).toMatchObject({ data: rows, steps });
      await writeSyncMark(file, { id: "0199c2a0-7b1e-7c3a-9d4e-1f2a3b4c5d6e", version: 1 });
      const [item] = readImport(await readFile(path, "utf8"));
      expect(item?.ok && item.test.data).toEqual(rows);
      expect((await readTestFile(path)).isChanged).toBe(false);
      await writeFile(path, (await readFile(path, "utf8")).replace("login", "logout"));
      expect(await readTestFile(path)).toMatchObject({ isChanged: true, steps });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe("the connection to a service", () => {
  const key = "ak_live_0123456789";

  it("prefers the flag to the environment to the default for the address", () => {
    expect(serverFrom("https://a.example/x/", { RUNLEDGER_URL: "https://b.example" })).toBe(
      "https://a.example/x",
    );
    expect(serverFrom(undefined, { RUNLEDGER_URL: "https://b.example" })).toBe("https://b.example");
    expect(serverFrom(undefined, { RUNLEDGER_URL: "" })).toBe("http://127.0.0.1:3000");
  });

  it.each([
    ["ftp://a", { RUNLEDGER_API_KEY: key }, /not a valid address/],
    ["http://u:p@a", { RUNLEDGER_API_KEY: key }, /must not contain a user name/],
    ["http://a", {}, /RUNLEDGER_API_KEY is not set/],
    ["http://a", { RUNLEDGER_API_KEY: "secret" }, /begin with ak_live_/],
    ["http://a", { RUNLEDGER_API_KEY: "ak_live_x\r\nX-Evil: 1" }, /not an API key/],
  ])("rejects %s with %j without printing the key", (server, environment, message) => {
    expect(() => connectionFrom(server, environment)).toThrow(message);
    expect(() => connectionFrom(server, environment)).not.toThrow(/secret|Evil/);
  });

  it("treats plain http to another machine as unencrypted", () => {
    const readable = ["http://a.example", "http://127.0.0.1.example", "http://10.0.0.1"];
    const safe = ["https://a.example", "http://localhost:3000", "http://127.0.0.1", "http://[::1]"];
    expect([...readable, ...safe].filter(isUnencrypted)).toEqual(readable);
  });
});
