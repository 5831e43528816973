import { randomInt, randomUUID } from "node:crypto";
import { sql } from "kysely";
import { planDecider } from "../../../src/domain/billing/plan.ts";
import { newId } from "../../../src/platform/ids.ts";
import { adminOf } from "../admins.ts";
import { call, eventually } from "../client.ts";
import { signedByProviderA } from "../providers.ts";
import type { TestService } from "../service.ts";
import type { Entities } from "./entities.ts";
import type { Owner } from "./owner.ts";

/** Creates plan changes, provider events and events for the operators of the service. */
export const freshOperations = (owner: Owner, { runId }: Entities) => ({
  /** Cancels the open plan change: an organisation has one at a time. */
  noPlanChange: () => cancelOpenPlanChange(owner),
  planChangeId: async (): Promise<string> => {
    await cancelOpenPlanChange(owner);
    return (await owner.withSession("POST", "/plan/change", { plan: "team" })).body.id;
  },
  /** The id of a provider event with raised attention. */
  attention: () => raiseAttention(owner),
  /** The id by which operators name a provider event. */
  webhookEventId: () => receiveProviderEvent(owner.service),
  /** The id of an event that a removed read model has parked. */
  parkedId: () => parkEvent(owner.service),
  /** The id of an event of the log, after the inspector can find it. */
  eventId: () => firstEventOf(owner.service, runId),
});

const cancelOpenPlanChange = async (owner: Owner): Promise<void> => {
  const { open_change } = (await owner.withSession("GET", "/plan")).body;
  if (open_change) await owner.withSession("POST", `/plan/change/${open_change.id}/cancel`);
};

const raiseAttention = async ({ service, account, context }: Owner): Promise<string> => {
  const providerEventId = `evt_${randomUUID()}`;
  const raise = { type: "raiseAttention", provider: "provider-a", providerEventId } as const;
  const command = { ...raise, reason: "None of its prices is a plan here." };
  await service.core.loop.execute(planDecider, account.organizationId, command, context);
  return providerEventId;
};

const receiveProviderEvent = async (service: TestService): Promise<string> => {
  const event_id = `evt_${randomUUID()}`;
  const signed = signedByProviderA({ event_id, event_type: "customer.created" });
  await call(service.url, "POST", "/api/v1/webhooks/provider-a", {
    headers: signed.headers,
    body: JSON.parse(signed.body),
  });
  return `provider-a_${event_id}`;
};

const parkEvent = async (service: TestService): Promise<string> => {
  const { rows } = await sql<{ id: string }>`
    insert into parked_events (consumer, position, event_id, type, error, stream, revision)
    values ('gone@1', ${randomInt(1_000_000_000)}, ${newId()}, 'Gone', 'refused', ${`gone-${newId()}`}, 0)
    returning id`.execute(service.platform.database.db);
  return rows[0]?.id ?? "";
};

const firstEventOf = async (service: TestService, runId: string): Promise<string> => {
  for await (const { id } of service.platform.log.readStream(`run-${runId}`, { limit: 1 })) {
    const { accessToken } = await adminOf(service);
    const path = `/api/v1/admin/events/${id}`;
    const found = () => call(service.url, "GET", path, { bearer: accessToken });
    await eventually(found, ({ status }) => status === 200);
    return id;
  }
  throw new Error("The run has no event");
};
