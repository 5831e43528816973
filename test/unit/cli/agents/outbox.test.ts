import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createOutbox, type Unsent } from "../../../../src/cli/agents/outbox.ts";
import type { FromAgent } from "../../../../src/domain/agents/protocol.ts";

const executionOf = (n: number): string => `0199c2a0-7b1e-7c3a-9d4e-00000000000${n}`;
const step = (number: number, execution = 1): Unsent => ({
  ...{ type: "step", execution_id: executionOf(execution), delivery: 1, attempt: 1 },
  ...{ browser: "chromium", number, status: "passed" },
});

describe("the outbox of an agent", () => {
  it("sends pending messages in order with increasing numbers after connecting", () => {
    const outbox = createOutbox();
    const said: FromAgent[] = [];
    outbox.post(step(1));
    outbox.post(step(2));
    outbox.open((message) => said.push(message));
    outbox.post(step(3));
    expect(said.map((one) => [one.seq, "number" in one && one.number])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });

  it("does not resend forgotten messages or heartbeats", async () => {
    const outbox = createOutbox();
    const said: FromAgent[] = [];
    outbox.mention({ type: "heartbeat", execution_ids: [] });
    outbox.post(step(1, 1));
    outbox.post(step(1, 2));
    expect(outbox.executions()).toEqual([executionOf(1), executionOf(2)]);
    outbox.forget(executionOf(1));
    outbox.open((message) => said.push(message));
    expect(said).toMatchObject([{ execution_id: executionOf(2) }]);
    const empty = outbox.empty();
    outbox.acknowledged(said[0]?.seq ?? 0);
    await empty;
    expect(outbox.executions()).toEqual([]);
  });

  it("delivers every message in order over unreliable connections and repeats no acknowledged one", () => {
    const happening = fc.oneof(
      fc.constant("post" as const),
      fc.constant("cut" as const),
      fc.constant("ack" as const),
    );
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 60 }), (happenings) => {
        const outbox = createOutbox();
        let unread: FromAgent[] = [];
        const read: number[] = [];
        const connect = () => outbox.open((message) => unread.push(message));
        const readOne = () => {
          const [message] = unread.splice(0, 1);
          if (!message) return;
          if ("number" in message) read.push(message.number);
          outbox.acknowledged(message.seq);
        };
        let posted = 0;
        connect();
        for (const what of happenings) {
          if (what === "post") outbox.post(step(++posted));
          if (what === "ack") readOne();
          if (what === "cut") {
            outbox.closed();
            unread = [];
            connect();
          }
        }
        while (unread.length > 0) readOne();
        expect(read).toEqual(Array.from({ length: posted }, (_, index) => index + 1));
      }),
    );
  });
});
