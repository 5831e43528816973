import { randomUUID } from "node:crypto";
import type { EventMetadata } from "../../src/domain/kernel/events.ts";

const RUN_ID = randomUUID();
const ORGANIZATION_ID = randomUUID();
const CORRELATION_ID = randomUUID();

/** The data of an event of average size: a passed step. */
export const eventData = () => ({
  runId: RUN_ID,
  attempt: 1,
  delivery: 1,
  browser: "chromium",
  number: 7,
  durationMs: 143,
  locator: 'role=button[name="Sign in"]',
});

/** Event metadata in the format of the service. */
export const eventMetadata = (): EventMetadata & { [key: string]: never } =>
  ({
    $correlationId: CORRELATION_ID,
    $causationId: CORRELATION_ID,
    actor: { type: "system", id: "bench" },
    organization_id: ORGANIZATION_ID,
    occurred_at: "2025-01-01T00:00:00.000Z",
    recorded_at: "2025-01-01T00:00:00.000Z",
    schema_version: 1,
  }) as unknown as EventMetadata & { [key: string]: never };
