import { type Kysely, sql } from "kysely";
import type { InUse } from "../../domain/billing/proration.ts";
import { periodOf } from "../../domain/usage/period.ts";
import type { OrganizationTables } from "../organizations/projection.ts";
import type { UsageTables } from "../usage/usage.ts";

/** Counts the use of plan limits in the read models. */
export const billingUse = (db: Kysely<OrganizationTables & UsageTables>) => ({
  /** The use of each limit at an instant, which a smaller plan would have to allow. */
  inUse: async (organizationId: string, at: string): Promise<InUse> => {
    const [seats, keys, month] = await Promise.all([
      db
        .selectFrom("members")
        .select(sql<number>`count(*)::int`.as("count"))
        .where("organization_id", "=", organizationId)
        .executeTakeFirst(),
      db
        .selectFrom("api_keys")
        .select(sql<number>`count(*)::int`.as("count"))
        .where("organization_id", "=", organizationId)
        .where("revoked_at", "is", null)
        .where((eb) =>
          eb.or([
            eb("expires_at", "is", null),
            eb("expires_at", ">", sql<string>`${at}::timestamptz`),
          ]),
        )
        .executeTakeFirst(),
      db
        .selectFrom("usage_months")
        .select(["used", "reserved"])
        .where("organization_id", "=", organizationId)
        .where("period", "=", periodOf(at))
        .executeTakeFirst(),
    ]);
    return {
      seats: seats?.count ?? 0,
      api_keys: keys?.count ?? 0,
      monthly_runs: (month?.used ?? 0) + (month?.reserved ?? 0),
    };
  },
});

export type BillingUse = ReturnType<typeof billingUse>;
