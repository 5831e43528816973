import type { CommandContext } from "../../commands/kernel/commandLoop.ts";
import type { RecordedEvent } from "../../platform/eventLog/port.ts";

/** What a worker does because of an event is of the same chain: its organisation and correlation, caused by it. */
export const contextFrom = ({ id, metadata }: RecordedEvent, worker: string): CommandContext => ({
  actor: { type: "system", id: worker },
  organizationId: metadata.organization_id,
  correlationId: metadata.$correlationId,
  causationId: id,
  ...(metadata.traceparent === undefined ? {} : { traceparent: metadata.traceparent }),
});
