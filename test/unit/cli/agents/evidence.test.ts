import { describe, expect, it } from "vitest";
import { createEvidenceSender } from "../../../../src/cli/agents/evidence.ts";
import { createOutbox } from "../../../../src/cli/agents/outbox.ts";
import { createRequests } from "../../../../src/cli/agents/requests.ts";
import { remoteFiles } from "../../../../src/cli/agents/resources.ts";
import {
  EVIDENCE_PART_BYTES,
  type FileAnswer,
  type FromAgent,
} from "../../../../src/domain/agents/protocol.ts";

const on = {
  execution_id: "0190a000-0000-7000-8000-000000000001",
  ...{ delivery: 1, attempt: 1, browser: "chromium" as const },
};
const at = "2026-01-01T00:00:00.000Z";
type Taken = Parameters<ReturnType<typeof createEvidenceSender>>[0];
const trace = (bytes: Buffer | null, absent: string | null = null): Taken => ({
  type: "evidenceTaken",
  name: "trace.zip",
  contentType: "application/zip",
  ...{ bytes, absent, at },
});
const settled = () => new Promise((resolve) => setImmediate(resolve));
const offsetsOf = (said: readonly FromAgent[]) =>
  said.map((one) => (one.type === "evidence" ? one.offset : one.type));

describe("evidence files sent by an agent", () => {
  const whole = Buffer.alloc(2 * EVIDENCE_PART_BYTES + 3, 7);

  it("resends the unacknowledged part of a file after a reconnection", async () => {
    const outbox = createOutbox();
    const said: FromAgent[] = [];
    outbox.open((message) => said.push(message));
    const sending = createEvidenceSender(
      on,
      outbox.post,
      new AbortController().signal,
    )(trace(whole));
    await settled();
    expect(offsetsOf(said)).toEqual([0]);
    outbox.acknowledged(said.at(-1)?.seq ?? 0);
    await settled();
    outbox.closed();
    const again: FromAgent[] = [];
    outbox.open((message) => again.push(message));
    outbox.acknowledged(again.at(-1)?.seq ?? 0);
    await settled();
    outbox.acknowledged(again.at(-1)?.seq ?? 0);
    await sending;
    expect(offsetsOf([...said, ...again])).toEqual([
      ...[0, EVIDENCE_PART_BYTES, EVIDENCE_PART_BYTES, 2 * EVIDENCE_PART_BYTES],
    ]);
    const pieces = [said[0], ...again].flatMap((one) =>
      one?.type === "evidence" ? [Buffer.from(one.base64, "base64")] : [],
    );
    expect(Buffer.concat(pieces).equals(whole)).toBe(true);
  });

  it("stops sending a file when the execution is dropped", async () => {
    const outbox = createOutbox();
    const said: FromAgent[] = [];
    outbox.open((message) => said.push(message));
    const stop = new AbortController();
    const sending = createEvidenceSender(on, outbox.post, stop.signal)(trace(whole));
    await settled();
    stop.abort();
    outbox.forget(on.execution_id);
    await sending;
    expect(offsetsOf(said)).toEqual([0]);
    await outbox.empty();
  });

  it("reports a missing file as absent with the reason", async () => {
    const said: unknown[] = [];
    const post = async (message: unknown) => void said.push(message);
    const send = createEvidenceSender(on, post, new AbortController().signal);
    await send(trace(null, "It broke."));
    await send(trace(Buffer.alloc(0)));
    expect(said).toMatchObject([{ absent: "It broke." }, { absent: "Nothing was recorded." }]);
  });
});

describe("files fetched by an agent", () => {
  const steps = [
    {
      ...{ id: on.execution_id, action: "upload", target: "", value: "a.csv", description: "" },
      ...{ optional: false, disabled: false },
    },
  ];
  const fetchFrom = (answer: (offset: number) => FileAnswer | null) => {
    const requests = createRequests((message) => {
      if (message.type !== "file") return;
      const found = answer(message.offset);
      const { execution_id, ask } = message;
      if (found)
        queueMicrotask(() => requests.answered({ type: "file", execution_id, ask, answer: found }));
    });
    return remoteFiles(requests, on, steps, 50, new AbortController().signal)("a.csv");
  };
  const part = (id: string, text: string, bytes = 4): FileAnswer => ({
    ...{ kind: "part", id, content_type: "text/csv", bytes },
    base64: Buffer.from(text).toString("base64"),
  });

  it("joins the parts of a file and restarts if the file is replaced", async () => {
    let asked = 0;
    const file = await fetchFrom((offset) => {
      asked += 1;
      if (asked === 1) return part("old", "OL");
      return part("new", offset === 0 ? "ab" : "cd");
    });
    expect([file?.bytes.toString(), file?.contentType, asked]).toEqual(["abcd", "text/csv", 4]);
  });

  it("reports a missing file, an unreadable file and a missing answer", async () => {
    expect(await fetchFrom(() => ({ kind: "none" }))).toBeNull();
    const failed = fetchFrom(() => ({ kind: "failed", reason: "The store is away." }));
    await expect(failed).rejects.toThrow('The file "a.csv": The store is away.');
    await expect(fetchFrom(() => null)).rejects.toThrow(/did not arrive from the service in time/);
    await expect(fetchFrom((offset) => part(String(offset), "ab"))).rejects.toThrow(/changed/);
    await expect(fetchFrom(() => part("1", "ab", 1e9))).rejects.toThrow(/too large/);
  });
});
