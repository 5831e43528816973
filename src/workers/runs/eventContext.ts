import type { CommandContext } from "../../commands/kernel/commandLoop.ts";
import type { RecordedEvent } from "../../platform/eventLog/port.ts";

/** Context of a command caused by an event: same organisation, correlation and trace. */
export const contextFrom = ({ id, metadata }: RecordedEvent, worker: string): CommandContext => ({
  actor: { type: "system", id: worker },
  organizationId: metadata.organization_id,
  correlationId: metadata.$correlationId,
  causationId: id,
  ...(metadata.traceparent === undefined ? {} : { traceparent: metadata.traceparent }),
});
