import { call } from "./client.ts";
import type { TestService } from "./service.ts";

/**
 * Waits until every read model has reached the head of the log. For tests that append to the log directly, without
 * the API. Each read model must be checked, since they advance independently.
 */
export const shownByNow = async (service: TestService): Promise<void> => {
  const position = await service.platform.log.head();
  const headers = { "x-min-position": String(position) };
  // This endpoint needs neither credential nor database. `call` repeats it while the read models lag.
  await call(service.url, "GET", "/api/v1/catalog/plans", { headers });
};
