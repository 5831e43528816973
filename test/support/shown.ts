import { call } from "./client.ts";
import type { TestService } from "./service.ts";

/**
 * Waits until every read model shows what is in the log by now: for tests that write to the log themselves, past the API,
 * whose answers would wait for it. One that was seen to show it says nothing of the others.
 */
export const shownByNow = async (service: TestService): Promise<void> => {
  const position = await service.platform.log.head();
  const headers = { "x-min-position": String(position) };
  // It needs neither credential nor part; `call` asks again while they are behind.
  await call(service.url, "GET", "/api/v1/catalog/plans", { headers });
};
