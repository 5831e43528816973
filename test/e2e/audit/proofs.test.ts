import { readFileSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyConsistency } from "../../../src/cli/audit/consistency.ts";
import { proofHeaderOf, verifyProofs } from "../../../src/cli/audit/verifyProofs.ts";
import { watchLog } from "../../../src/cli/audit/watch.ts";
import { serviceWithClient } from "../../../src/cli/service.ts";
import { createTerminal } from "../../../src/cli/terminal.ts";
import { runledgerClient } from "../../../src/client/client.ts";
import { type Account, call, eventually, signUp } from "../../support/client.ts";
import { runPython } from "../../support/python.ts";
import { startTestService, type TestService } from "../../support/service.ts";

const verifier = readFileSync(path.resolve("test/support/verifyProofs.py"), "utf8");

/** The problems that the independent verifier finds; null where Python is missing. */
const independently = (text: string, older?: string): string[] | null => {
  const found = runPython(verifier, JSON.stringify({ export: text, older }));
  return found === null ? null : found.split("\n").filter((line) => line !== "");
};

describe("the signed tree of the log", () => {
  let service: TestService;
  let folder: string;
  let account: Account;
  let older: { checkpoint: string; key: string; size: number };
  let text: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "runledger-proofs-"));
    service = await startTestService({}, ["api", "projections", "dispatcher"]);
    account = await signUp(service.url);
    const first = await eventually(
      () => ask("GET", "/audit/log/checkpoint"),
      ({ status, body }) => status === 200 && body.size > 0,
    );
    older = first.body as typeof older;
    for (const plan of ["starter", "team"]) {
      const { body } = await ask("POST", "/plan/change", { plan });
      await ask("POST", `/plan/change/${body.id}/confirm`);
    }
    text = await exported(older.size);
  });
  afterAll(async () => {
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = (method: string, route: string, body?: unknown) =>
    call(service.url, method, `/api/v1${route}`, { bearer: account.accessToken, body });
  const exported = async (from: number): Promise<string> => {
    const route = `/api/v1/plan/history/export?format=proofs&from_size=${from}`;
    const response = await fetch(service.url + route, {
      headers: { authorization: `Bearer ${account.accessToken}` },
    });
    expect(response.status).toBe(200);
    return response.text();
  };
  const fileOf = async (name: string, content: string): Promise<string> => {
    const file = path.join(folder, name);
    await writeFile(file, content);
    return file;
  };
  const terminal = () => {
    const said = { text: "" };
    const output = { write: (part: string) => (said.text += part) };
    return { said, terminal: createTerminal({ json: false, output, environment: {} }) };
  };
  const verify = async (content: string, against: string | null = null) => {
    const { said, terminal: to } = terminal();
    const file = await fileOf("export.proofs", content);
    const header = await proofHeaderOf(file);
    if (!header) throw new Error("the file has no header");
    const old = against === null ? null : await fileOf("old.checkpoint", against);
    const code = await verifyProofs(file, header, { key: older.key, against: old }, to);
    return { code, said: said.text };
  };

  it("proves each event of an export and that it extends an older checkpoint", async () => {
    const { code, said } = await verify(text, older.checkpoint);
    expect(said).toMatch(/^whole .*\n {2}\d+ events, each in the signed tree of \d+ events/);
    expect(said).toMatch(/extends the one of \d+: none of these was altered or removed/);
    expect(code).toBe(0);
    expect(independently(text, older.checkpoint) ?? []).toEqual([]);
  });

  const lines = (): string[] => text.split("\n").slice(0, -1);
  const joined = (changed: readonly string[]): string => `${changed.join("\n")}\n`;
  it.each<[string, () => string, RegExp, string]>([
    [
      "an altered event",
      () => text.replace('\\"plan\\":\\"starter\\"', '\\"plan\\":\\"business\\"'),
      /Line \d+: Event \S+ \(\w+, revision \d+\) is not leaf \d+ of the signed tree: it was altered/,
      "event ",
    ],
    [
      "a removed event",
      () => joined(lines().filter((_, index) => index !== 2)),
      /Line 3: Revisions 1 to 1 are missing before it/,
      "end",
    ],
    [
      "two swapped events",
      () =>
        joined([...lines().slice(0, 1), lines()[2] ?? "", lines()[1] ?? "", ...lines().slice(3)]),
      /is out of the order of the log/,
      "event ",
    ],
    [
      "a cut end",
      () => joined([...lines().slice(0, -2), lines().at(-1) ?? ""]),
      /The end counts \d+ events, the file has \d+/,
      "end",
    ],
    [
      "an altered checkpoint",
      () =>
        text.replace(
          /(runledger\/log\/[0-9a-f]{16}\\n)(\d+)/,
          (_, name, size) => `${name}${Number(size) + 1}`,
        ),
      /The checkpoint was altered: its signature does not match/,
      "checkpoint",
    ],
  ])("names %s in an export", async (_, alter, reason, independent) => {
    const altered = alter();
    expect(altered).not.toBe(text);
    const { code, said } = await verify(altered);
    expect(said).toMatch(reason);
    expect(code).toBe(1);
    const found = independently(altered);
    if (found) expect(found.join("\n")).toContain(independent);
  });

  it("is followed by a watcher, whose checkpoints are consistent", async () => {
    const client = serviceWithClient(
      service.url,
      runledgerClient({ baseUrl: service.url, accessToken: account.accessToken }),
    );
    const dir = path.join(folder, "watched");
    const watch = async () => {
      const { said, terminal: to } = terminal();
      const options = { dir, key: null, everyMs: 1_000, once: true };
      const code = await watchLog(options, client, to, new AbortController().signal);
      return { code, said: said.text };
    };
    expect((await watch()).code).toBe(0);
    const [before] = (await readdir(dir)).filter((name) => name.endsWith(".checkpoint"));
    await ask("POST", "/projects", { name: "Later" });
    const sizeOf = async () => (await ask("GET", "/audit/log/checkpoint")).body.size as number;
    await eventually(sizeOf, (size) => size > Number.parseInt(before ?? "0", 10));
    expect((await watch()).said).toMatch(/^consistent {2}\d+ events/);
    const [one, other] = (await readdir(dir))
      .filter((name) => name.endsWith(".checkpoint"))
      .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
    const proof = path.join(dir, `${other?.replace(".checkpoint", "")}.proof`);
    const compare = async (key: string) => {
      const { said, terminal: to } = terminal();
      const files = { older: path.join(dir, one ?? ""), newer: path.join(dir, other ?? "") };
      const offline = () => Promise.reject(new Error("no service is asked"));
      const code = await verifyConsistency({ ...files, key, proof }, offline, to);
      return { code, said: said.text };
    };
    expect(await compare(path.join(dir, "key"))).toMatchObject({ code: 0 });
  });

  it("refuses a proof from a larger tree than it has", async () => {
    expect((await ask("GET", "/audit/log/checkpoint?from=99999999")).status).toBe(409);
  });
});
