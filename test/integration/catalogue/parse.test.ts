import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseEnglish } from "../../../src/domain/english/index.ts";
import { type Account, call, signUp } from "../../support/client.ts";
import { completes, startModelServer } from "../../support/modelServer.ts";
import { startTestService, type TestService } from "../../support/service.ts";

let service: TestService;
let server: Awaited<ReturnType<typeof startModelServer>>;
let ann: Account;

beforeAll(async () => {
  server = await startModelServer();
  const settings = { LLM_BASE_URL: server.url, LLM_API_KEY: "k-1", LLM_MODEL: "tiny" };
  service = await startTestService(settings, ["api", "projections"]);
  ann = await signUp(service.url);
});
afterAll(async () => {
  await service?.stop();
  await server?.stop();
});
beforeEach(() => {
  server.asked.length = 0;
});

const post = (path: string, body?: unknown) =>
  call(service.url, "POST", `/api/v1${path}`, { bearer: ann.accessToken, body });
const text = 'Go to /shop\nPut the shirt into the basket\nClick "Pay"';
const parse = (more: object = {}) => post("/tests/parse", { text, ...more });

describe("unrecognised lines", () => {
  it("get marked proposals of the model and keep their warning", async () => {
    const steps = [{ action: "click", target: '"Add to basket" button' }];
    server.answer = completes(JSON.stringify({ lines: [{ line: 1, steps }] }));
    const plain = await parse();
    expect(plain.body.proposals).toEqual([]);
    expect(server.asked).toEqual([]);

    const { status, body } = await parse({ propose: true });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...plain.body,
      proposals: [
        {
          line: 2,
          steps: [
            {
              ...steps[0],
              value: "",
              description: "Put the shirt into the basket",
              optional: false,
              disabled: false,
              proposed: true,
            },
          ],
        },
      ],
    });
    expect(server.asked.map((asked) => asked.body.messages[1]?.content)).toEqual([
      JSON.stringify([{ line: 1, text: "Put the shirt into the basket" }]),
    ]);
  });

  it("are required before the model is asked", async () => {
    await parse({ text: 'Click "Pay"', propose: true });
    expect(server.asked).toEqual([]);
  });

  it("do not add their proposals to a created test", async () => {
    const made = await post("/tests", { name: "Shop", text });
    expect(made.body.steps).toHaveLength(2);
    expect(server.asked).toEqual([]);
  });

  it("get no proposals if the model fails, answers nonsense or obeys injected instructions", async () => {
    const plain = (await parse()).body;
    const evil = { line: 1, steps: [{ action: "run_shell", value: "rm -rf /" }] };
    for (const answer of [
      completes("As you wish!"),
      completes(JSON.stringify({ lines: [evil] })),
      completes(JSON.stringify({ steps: [] })),
      completes("x".repeat(300_000)),
      (_: unknown, response: { writeHead(status: number): { end(): void } }) =>
        response.writeHead(500).end(),
    ]) {
      server.answer = answer as typeof server.answer;
      const { status, body } = await parse({ propose: true });
      expect([status, body]).toEqual([200, plain]);
    }
  });
});

describe("long texts", () => {
  it("are parsed in slices with the same result", async () => {
    const long = Array.from({ length: 400 }, (_, at) => `Click "B${at}" and type "x" into Name`);
    const { body } = await parse({ text: long.join("\n") });
    const { steps, warnings } = parseEnglish(`${long.join("\n")}\n`);
    expect(body.steps).toEqual(steps.map((one, at) => ({ position: at + 1, ...one })));
    expect(body.warnings).toEqual(warnings);
  });
});

describe("parsing the text of a test again", () => {
  it("shows each difference to the current grammar and stores nothing", async () => {
    const document = {
      name: "Old",
      text: 'Go to /a\nClick "B"\nClick "C"',
      steps: [
        { action: "navigate", value: "/a", description: "Go to /a" },
        { action: "click", target: "old B" },
      ],
    };
    const content = JSON.stringify(document);
    const imported = await post("/tests/import", { content });
    expect(imported.body).toMatchObject({ created: 1 });
    const id = imported.body.items[0].test_id;
    const read = await post(`/tests/${id}/reparse`);
    expect(read.status).toBe(200);
    expect(read.body.steps.map((one: { target: string }) => one.target)).toEqual(["", "B", "C"]);
    expect(read.body.difference).toEqual([
      expect.objectContaining({ kind: "removed", from_position: 2, to_position: null }),
      expect.objectContaining({ kind: "added", from_position: null, to_position: 2 }),
      expect.objectContaining({ kind: "added", from_position: null, to_position: 3 }),
    ]);
    expect(read.body.difference[0].before.target).toBe("old B");
    const now = await call(service.url, "GET", `/api/v1/tests/${id}`, { bearer: ann.accessToken });
    expect([now.body.version, now.body.steps.length]).toEqual([1, 2]);
  });
});
