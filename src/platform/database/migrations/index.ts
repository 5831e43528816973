import type { Migration } from "kysely";
import * as kernel from "./001-kernel.ts";
import * as identity from "./010-identity.ts";
import * as mail from "./011-mail.ts";
import * as sessions from "./012-sessions.ts";
import * as byoKeys from "./013-byo-keys.ts";
import * as oauth from "./014-oauth.ts";
import * as mailAddressees from "./015-mail-addressees.ts";
import * as dispatch from "./020-dispatch.ts";
import * as stopping from "./021-stopping.ts";
import * as agents from "./022-agents.ts";
import * as idempotency from "./030-idempotency.ts";
import * as projections from "./031-projections.ts";
import * as invites from "./040-invites.ts";
import * as webhooks from "./050-webhooks.ts";
import * as catalogue from "./070-catalogue.ts";
import * as environmentSecrets from "./071-environment-secrets.ts";
import * as imports from "./072-imports.ts";
import * as schedules from "./080-schedules.ts";
import * as notifications from "./081-notifications.ts";
import * as fingerprints from "./091-fingerprints.ts";
import * as eventIndex from "./092-event-index.ts";
import * as contactAddressesSince from "./093-contact-addresses-since.ts";
import * as searchByOrganization from "./094-search-by-organization.ts";
import * as pendingReports from "./095-pending-reports.ts";
import * as auditTree from "./096-audit-tree.ts";

/**
 * The migrations of the state tables by name, applied once each in the order of their names. A migration is a file
 * `NNN-name.ts` in this folder and a line here. A released migration never changes; a later one corrects it.
 */
export const migrations: Readonly<Record<string, Migration>> = {
  "001-kernel": kernel,
  "010-identity": identity,
  "011-mail": mail,
  "012-sessions": sessions,
  "013-byo-keys": byoKeys,
  "014-oauth": oauth,
  "015-mail-addressees": mailAddressees,
  "020-dispatch": dispatch,
  "021-stopping": stopping,
  "022-agents": agents,
  "030-idempotency": idempotency,
  "031-projections": projections,
  "040-invites": invites,
  "050-webhooks": webhooks,
  "070-catalogue": catalogue,
  "071-environment-secrets": environmentSecrets,
  "072-imports": imports,
  "080-schedules": schedules,
  "081-notifications": notifications,
  "091-fingerprints": fingerprints,
  "092-event-index": eventIndex,
  "093-contact-addresses-since": contactAddressesSince,
  "094-search-by-organization": searchByOrganization,
  "095-pending-reports": pendingReports,
  "096-audit-tree": auditTree,
};
