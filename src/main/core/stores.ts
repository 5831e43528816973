import type { ReportRequest } from "../../commands/resultImports/resultImports.ts";
import { environmentSecrets } from "../../stores/catalogue/environmentSecrets.ts";
import { fingerprintsState } from "../../stores/healing/fingerprints.ts";
import { idempotencyKeys } from "../../stores/kernel/idempotencyKeys.ts";
import { notificationAddresses } from "../../stores/notifications/addresses.ts";
import { apiKeysState } from "../../stores/organizations/apiKeyHashes.ts";
import { inviteAddressesState } from "../../stores/organizations/inviteAddresses.ts";
import { pendingReports } from "../../stores/resultImports/pendingReports.ts";
import { scheduleRecipients } from "../../stores/schedules/recipients.ts";
import { scheduleSlots } from "../../stores/schedules/slots.ts";
import type { Platform } from "../platform.ts";

export type Stores = ReturnType<typeof createStores>;

/** The mutable state beside the log, as far as several parts of the service share it. */
export const createStores = ({
  database: { db },
  masterKey,
}: Pick<Platform, "database" | "masterKey">) => ({
  apiKeys: apiKeysState(db),
  inviteAddresses: inviteAddressesState({ db, masterKey }),
  environmentSecrets: environmentSecrets({ db, masterKey }),
  scheduleSlots: scheduleSlots(db),
  scheduleRecipients: scheduleRecipients({ db, masterKey }),
  notificationAddresses: notificationAddresses({ db, masterKey }),
  pendingReports: pendingReports<ReportRequest>(db),
  idempotencyKeys: idempotencyKeys({ db, masterKey }),
  fingerprints: fingerprintsState(db),
});
