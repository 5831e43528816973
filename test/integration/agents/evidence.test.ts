import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type AgentHost,
  type AgentReport,
  EVIDENCE_PART_BYTES,
  FILE_PART_BYTES,
  fromAgent,
  type ToAgent,
} from "../../../src/domain/agents/protocol.ts";
import type { Fingerprint } from "../../../src/domain/healing/fingerprint.ts";
import { MAX_EVIDENCE_BYTES } from "../../../src/domain/runs/executions/evidence.ts";
import { newId } from "../../../src/platform/ids.ts";
import { PartUnavailableError } from "../../../src/platform/partHealth.ts";
import type { HealingOf } from "../../../src/workers/healing/memory.ts";
import { eventually } from "../../support/client.ts";
import { step as anyStep, type Deployment, startDeployment } from "../runs/deployment.ts";

const element: Fingerprint = {
  ...{ kind: "other", tag: "button", role: "button", name: "Save", text: "Save", testId: "" },
  ...{ id: "save", nameAttribute: "", type: "", placeholder: "", alt: "", title: "", href: "" },
  ...{ classes: [], ownClasses: [], path: ["body"], heading: "Notes", before: "", after: "" },
  ...{ index: 0, x: 1, y: 1, rivals: [] },
};

/** The resources of an agent besides its browser: evidence files, elements, project files. */
describe("evidence and files of an agent", () => {
  let deployment: Deployment;
  beforeEach(async () => {
    deployment = await startDeployment();
    deployment.startDispatcher();
  });
  afterEach(() => deployment.stop());

  const connect = (host: AgentHost, organizationId: string, agentId: string, resume: string[]) => {
    const said: ToAgent[] = [];
    const hello = fromAgent.parse({
      ...{ type: "hello", seq: 1, agent_id: agentId, browsers: ["chromium"] },
      ...{ capacity: 2, resume },
    });
    if (hello.type !== "hello") throw new Error("no hello");
    const line = { say: (message: ToAgent) => void said.push(message), close: () => undefined };
    return { said, session: host.connect(organizationId, hello, line) };
  };

  type Options = Parameters<Deployment["startAgentHost"]>[0];

  const start = async (options: Options = {}, evidence: ("trace" | "har")[] = ["trace"]) => {
    const host = deployment.startAgentHost(options);
    const asked = { target: "agent", evidence } as const;
    const run = await deployment.queueRun(1, newId(), asked);
    const executionId = run.executionIds[0] ?? "";
    const agent = connect(host, run.organizationId, "a", []);
    const dispatch = await eventually(
      async () => agent.said.find(({ type }) => type === "dispatch"),
      (found) => found !== undefined,
    );
    const on = { seq: 2, execution_id: executionId, delivery: 1, attempt: 1, browser: "chromium" };
    const read = (message: object): AgentReport => {
      const parsed = fromAgent.parse({ ...on, ...message });
      if (!("attempt" in parsed)) throw new Error("no report");
      return parsed;
    };
    const tell = (message: object, session = agent.session) => session.receive(read(message));
    const piece = (name: string, whole: Buffer, offset = 0) => {
      const base64 = whole.subarray(offset, offset + EVIDENCE_PART_BYTES).toString("base64");
      return { type: "evidence", name, bytes: whole.length, offset, base64 };
    };
    const answers = <Type extends ToAgent["type"]>(type: Type) =>
      agent.said.filter((one): one is Extract<ToAgent, { type: Type }> => one.type === type);
    const events = () => deployment.eventsOf(`execution-${executionId}`);
    const kept = async () =>
      (await events())
        .filter(({ type }) => type === "EvidenceKept")
        .map(({ data }) => data as { key: string });
    return { ...run, ...agent, host, executionId, dispatch, tell, piece, answers, events, kept };
  };

  const partsLeft = () => [...deployment.stored.keys()].filter((key) => key.includes("/parts/"));

  it("stores a file once that is sent in repeated pieces to two processes, and leaves no piece behind", async () => {
    const first = await start();
    expect(first.dispatch).toMatchObject({ evidence: ["trace"], gives_files: true, heals: false });
    const trace = randomBytes(2 * EVIDENCE_PART_BYTES + 7);
    const console = Buffer.from("{}");
    expect(await first.tell(first.piece("console.json", console))).toBeNull();
    expect(await first.tell(first.piece("trace.zip", trace))).toBeNull();
    expect(await first.tell(first.piece("trace.zip", trace))).toBeNull();
    first.session.end(false);

    const other = deployment.startAgentHost();
    const { session } = connect(other, first.organizationId, "a", [first.executionId]);
    const tell = (message: object) => first.tell(message, session);
    expect(await tell(first.piece("console.json", Buffer.from("[]")))).toBeNull();
    expect(await tell(first.piece("trace.zip", trace, EVIDENCE_PART_BYTES))).toBeNull();
    expect(await first.kept()).toHaveLength(1);
    expect(await tell(first.piece("trace.zip", trace, 2 * EVIDENCE_PART_BYTES))).toBeNull();
    expect(await tell(first.piece("trace.zip", trace, 2 * EVIDENCE_PART_BYTES))).toBeNull();
    expect(await tell({ type: "result", status: "passed" })).toBeNull();
    await eventually(first.run, ({ status }) => status === "passed");
    const kept = await first.kept();
    expect(kept).toMatchObject([
      { name: "console.json", bytes: 2, contentType: "application/json", absent: null },
      { name: "trace.zip", bytes: trace.length, contentType: "application/zip", absent: null },
    ]);
    const stored = kept.map((one) => deployment.stored.get(String(one.key))?.bytes);
    expect([stored[0]?.toString(), stored[1]?.equals(trace)]).toEqual(["{}", true]);
    await eventually(
      async () => partsLeft(),
      (left) => left.length === 0,
    );
  });

  it("removes the pieces of a lost agent when another agent runs the test", async () => {
    const first = await start();
    const trace = randomBytes(2 * EVIDENCE_PART_BYTES);
    expect(await first.tell(first.piece("trace.zip", trace))).toBeNull();
    expect(partsLeft()).toHaveLength(1);
    await first.host.stop();
    await sql`update execution_leases set expires_at = now() - interval '1 second'`.execute(
      deployment.db,
    );
    deployment.startWatchdog();
    const { session, said } = connect(deployment.startAgentHost(), first.organizationId, "b", []);
    await eventually(
      async () => said.filter(({ type }) => type === "dispatch"),
      ([dispatch]) => dispatch?.type === "dispatch" && dispatch.delivery === 2,
    );
    const tell = (message: object) => first.tell({ delivery: 2, ...message }, session);
    expect(await tell({ type: "evidence", name: "trace.zip", absent: "It broke." })).toBeNull();
    expect(await tell({ type: "result", status: "passed" })).toBeNull();
    await eventually(first.run, ({ status }) => status === "passed");
    expect(await first.kept()).toMatchObject([{ name: "trace.zip", key: null }]);
    await eventually(
      async () => partsLeft(),
      (left) => left.length === 0,
    );
  });

  it("refuses unrequested, oversized and mismatched files", async () => {
    const { tell, piece, kept } = await start();
    const small = Buffer.from("PK");
    const cases: [object, RegExp][] = [
      [piece("network.har", small), /asks for no network.har/],
      [piece("video.webm", small), /asks for no video.webm/],
      [{ ...piece("trace.zip", small), bytes: 3 }, /sent in parts/],
      [{ ...piece("trace.zip", small), bytes: 1 }, /sent in parts/],
      [{ ...piece("trace.zip", small), offset: 1, bytes: 3 }, /sent in parts/],
      [{ ...piece("trace.zip", small), base64: "no base64!" }, /not valid base64/],
      [{ ...piece("trace.zip", small), attempt: 2 }, /1 attempts at most/],
    ];
    for (const [message, refusal] of cases) expect(await tell(message)).toMatch(refusal);
    const huge = { ...piece("trace.zip", small), bytes: MAX_EVIDENCE_BYTES + 1 };
    expect(fromAgent.safeParse({ ...huge, seq: 1 }).success).toBe(false);
    expect(() => fromAgent.parse(piece("../../etc/passwd", small))).toThrow();
    expect([await kept(), partsLeft()]).toEqual([[], []]);
  });

  it("reports an incomplete or missing file and a full store as absent, with the reason", async () => {
    const { tell, piece, kept, session } = await start({}, ["trace", "har"]);
    const trace = randomBytes(EVIDENCE_PART_BYTES + 1);
    expect(await tell(piece("trace.zip", trace, EVIDENCE_PART_BYTES))).toBeNull();
    const put = deployment.blobs.put;
    deployment.blobs.put = async () => {
      throw new PartUnavailableError("blob_store", "is full");
    };
    expect(await tell(piece("network.har", trace))).toBeNull();
    deployment.blobs.put = put;
    expect(await tell({ type: "evidence", name: "console.json", absent: "It broke." })).toBeNull();
    expect(await kept()).toMatchObject([
      { name: "trace.zip", key: null, absent: "Some of it did not arrive." },
      { name: "network.har", key: null, absent: "The store of screenshots is full." },
      { name: "console.json", key: null, absent: "It broke." },
    ]);
    session.end(false);
  });

  it("refuses files to and from agents that do not hold the execution", async () => {
    const files = async (name: string) => ({
      ...{ id: name, bytes: Buffer.from(name), contentType: "text/plain" },
    });
    const upload = { ...anyStep, action: "upload", value: "prices.csv" };
    const resourcesOf = () => ({ secrets: async () => new Map(), showsSecrets: false, files });
    const { host, organizationId, executionId, tell, piece, kept, said } = await start({
      ...{ steps: [upload], resourcesOf },
    });
    const file = { type: "file", number: 1, ask: 1, name: "prices.csv" };
    for (const [organization, resume] of [
      [newId(), [executionId]],
      [organizationId, []],
      [organizationId, [executionId]],
    ] as const) {
      const other = connect(host, organization, "b", [...resume]);
      expect(await tell(file, other.session)).toMatch(/do not hold/);
      expect(await tell(piece("console.json", Buffer.from("{}")), other.session)).toMatch(
        /do not hold/,
      );
      expect(other.said.some(({ type }) => type === "file")).toBe(false);
    }
    expect(await kept()).toEqual([]);
    expect(await tell(file)).toBeNull();
    expect(said.filter(({ type }) => type === "file")).toMatchObject([
      { ask: 1, answer: { kind: "part", id: "prices.csv", bytes: 10 } },
    ]);
  });

  it("sends the file of an upload step in pieces, and refuses a missing file or another step", async () => {
    const bytes = randomBytes(FILE_PART_BYTES + 5);
    const files = async (name: string) => {
      if (name === "broken") throw new Error("the database is away");
      return name === "big" ? { ...{ id: "1", bytes, contentType: "text/csv" } } : null;
    };
    const upload = { ...anyStep, action: "upload", value: "${name}" };
    const resourcesOf = () => ({ secrets: async () => new Map(), showsSecrets: false, files });
    const { tell, answers } = await start({ steps: [upload, anyStep], resourcesOf });
    const ask = async (question: object) => {
      expect(await tell({ type: "file", number: 1, ask: 1, name: "big", ...question })).toBeNull();
      return answers("file").at(-1)?.answer;
    };
    const pieces: Buffer[] = [];
    for (const offset of [0, FILE_PART_BYTES]) {
      const answer = await ask({ offset });
      expect(answer).toMatchObject({ kind: "part", bytes: bytes.length, content_type: "text/csv" });
      if (answer?.kind === "part") pieces.push(Buffer.from(answer.base64, "base64"));
    }
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    expect(await ask({ name: "none" })).toEqual({ kind: "none" });
    expect(await ask({ name: "broken" })).toMatchObject({ kind: "failed" });
    expect(await ask({ number: 2 })).toEqual({
      ...{ kind: "failed", reason: "Step 2 chooses no file." },
    });
  });

  it("records a healing if it is allowed and was not rejected, and records fingerprints of elements", async () => {
    const kept: unknown[] = [];
    let isAllowed = true;
    const healingOf: HealingOf = () => () => ({
      known: async () => element,
      isDue: async () => kept.length === 0,
      keep: (fingerprint) => void kept.push(fingerprint),
      isAllowed: async () => isAllowed,
      rejected: async () => ['"Send" button'],
    });
    const { dispatch, tell, answers, events } = await start({ healingOf });
    expect(dispatch).toMatchObject({ heals: true, due_steps: [anyStep.id] });
    const of = { step_id: anyStep.id };
    expect(await tell({ type: "element", ask: 7, ...of })).toBeNull();
    expect(answers("element")).toMatchObject([
      {
        ask: 7,
        answer: { known: element, is_allowed: true, rejected: ['"Send" button'] },
      },
    ]);
    expect(await tell({ type: "element", ask: 8, step_id: newId() })).toBeNull();
    expect(answers("element")[1]?.answer.known).toBeNull();
    const fingerprint = { type: "fingerprint", fingerprint: element };
    expect(await tell({ ...fingerprint, ...of })).toBeNull();
    expect(await tell({ ...fingerprint, ...of })).toBeNull();
    expect(await tell({ ...fingerprint, step_id: newId() })).toMatch(/no step/);
    expect(kept).toEqual([element]);

    const healed = {
      ...{ type: "healed", number: 1, target: "#save", healed_target: '"Save" button' },
      ...{ score: 0.8, runner_up: null },
      changes: [{ what: "id", before: "save", after: "btn" }],
    };
    expect(await tell({ ...healed, healed_target: '"Send" button' })).toMatch(/rejected/);
    expect(await tell(healed)).toBeNull();
    expect(await tell(healed)).toBeNull();
    isAllowed = false;
    expect(await tell({ ...healed, number: 2 })).toMatch(/switched healing off/);
    const recorded = (await events()).filter(({ type }) => type === "LocatorHealed");
    expect(recorded.map(({ data }) => data)).toMatchObject([
      { number: 1, stepId: anyStep.id, healedTarget: '"Save" button', score: 0.8 },
    ]);
  });

  it("records a picture that the agent reports as too large as lost", async () => {
    const { tell, events } = await start();
    const shot = {
      type: "screenshot",
      number: 1,
      format: "png",
      name: "all",
      lost: "It is large.",
    };
    expect(await tell(shot)).toBeNull();
    expect((await events()).find(({ type }) => type === "ScreenshotLost")?.data).toMatchObject({
      ...{ number: 1, name: "all", reason: "It is large." },
    });
  });
});
