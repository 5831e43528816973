import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { call, makeKey, signUp } from "../../support/client.ts";
import { type ServiceProcess, startServiceProcess } from "../../support/serviceProcess.ts";

const TESTS = 150;

let folder: string;
let service: ServiceProcess;
let key: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "runledger-import-"));
  service = await startServiceProcess(folder);
  key = (await makeKey(service.url, await signUp(service.url))).key;
});
afterAll(async () => {
  await service?.end("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

const asAnn = (method: string, address: string, body?: unknown) =>
  call(service.url, method, `/api/v1${address}`, { bearer: key, body });

const namesOfAll = async (): Promise<string[]> => {
  const names: string[] = [];
  for (let cursor = ""; ; ) {
    const { body } = await asAnn("GET", `/tests?limit=100${cursor}`);
    names.push(...body.items.map(({ name }: { name: string }) => name));
    if (body.next_cursor === null) return names;
    cursor = `&cursor=${body.next_cursor}`;
  }
};

it("resumes a large import after its process was killed, and creates each test once", async () => {
  const tests = Array.from({ length: TESTS }, (_, n) => ({
    name: `Test ${n}`,
    text: `Go to /${n}\nI should see "${n}"`,
    tags: [`group ${n % 3}`],
  }));
  const asked = await asAnn("POST", "/tests/import", { content: JSON.stringify(tests) });
  expect([asked.status, asked.body.total]).toEqual([202, TESTS]);
  const progress = async () => (await asAnn("GET", `/tests/imports/${asked.body.import_id}`)).body;
  await expect
    .poll(async () => (await progress()).done, { interval: 20, timeout: 60_000 })
    .toBeGreaterThan(0);
  await service.end("SIGKILL");

  service = await startServiceProcess(folder);
  await expect.poll(async () => (await progress()).status, { timeout: 120_000 }).toBe("finished");
  expect(await progress()).toMatchObject({ total: TESTS, done: TESTS, created: TESTS, refused: 0 });
  const names = await namesOfAll();
  expect(names.toSorted()).toEqual(tests.map(({ name }) => name).toSorted());
  const tagged = await asAnn("GET", "/tests?limit=1&tag=group%202");
  expect(tagged.body.items).toHaveLength(1);
}, 240_000);
