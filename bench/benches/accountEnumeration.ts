import { call, signUp } from "../../test/support/client.ts";
import type { RunBench } from "../harness/bench.ts";
import { plainRow } from "../harness/rows.ts";
import { median } from "../harness/statistics.ts";
import { startHostedService } from "../parts/host.ts";

const BENCH = "account-enumeration";
const TIMES = 50;

/** Whether response times reveal which addresses have an account. */
export const run: RunBench = async (context) => {
  const service = await startHostedService(context, { roles: ["api", "projections"] });
  const { email } = await signUp(service.url);
  const unknownEmail = `nobody-${email}`;

  const timed = async (path: string, body: unknown, expected: number): Promise<number> => {
    const sent = performance.now();
    const { status } = await call(service.url, "POST", `/api/v1/auth${path}`, { body });
    if (status !== expected) throw new Error(`${path} returned ${status}`);
    return performance.now() - sent;
  };
  const requests = {
    login: (address: string) =>
      timed("/login", { email: address, password: "not the password" }, 401),
    "password/forgot": (address: string) => timed("/password/forgot", { email: address }, 202),
  };
  const rows = [];
  for (const [name, ask] of Object.entries(requests)) {
    const durations = { known: [] as number[], unknown: [] as number[] };
    for (let n = 0; n < TIMES + 5; n += 1) {
      const order =
        context.random() < 0.5 ? (["known", "unknown"] as const) : (["unknown", "known"] as const);
      for (const which of order) {
        const ms = await ask(which === "known" ? email : unknownEmail);
        // The first five warm up.
        if (n >= 5) durations[which].push(ms);
      }
    }
    const [known, unknown] = [median(durations.known), median(durations.unknown)];
    rows.push(
      plainRow(
        {
          bench: BENCH,
          what: `POST /auth/${name}, difference of medians, known and unknown address`,
          unit: "%",
          goal: { of: "value", atMost: 10 },
          note: `medians of ${TIMES}: ${known.toFixed(1)} ms known, ${unknown.toFixed(1)} ms unknown`,
        },
        [Math.abs(known / unknown - 1) * 100],
      ),
    );
  }
  return rows;
};
