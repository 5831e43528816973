import type { ExistingOrganization, Organization } from "../../domain/organizations/state.ts";
import type { Clock } from "../../platform/clock.ts";
import type { ApiKeysState } from "../../stores/organizations/apiKeyHashes.ts";
import type { ApiKeyChecks } from "../identity/checks.ts";
import type { CommandLoop } from "../kernel/commandLoop.ts";
import type { Receipt } from "../kernel/receipt.ts";

export type OrganizationDeps = {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly apiKeys: ApiKeysState;
  readonly keyChecks: ApiKeyChecks;
};

/** State of an organisation after a command. */
export type WrittenOrganization = {
  readonly id: string;
  readonly state: Extract<Organization, ExistingOrganization>;
  /** Time of the recorded events; null if the command changed nothing. */
  readonly at: string | null;
  readonly receipt: Receipt;
};
