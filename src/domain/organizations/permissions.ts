/** Roles of a member, weakest first (domain.md, "Roles"). */
export const roles = ["viewer", "billing", "editor", "admin", "owner"] as const;
export type Role = (typeof roles)[number];

/** The column of the role table that applies to a caller: the role of a member, or API key. */
export type Standing = Role | "api_key";

/** A permission. Every operation names the one that it needs, or none. */
export type Permission = keyof typeof allowed;

/** The role table of domain.md, row by row. */
const allowed = {
  "results:read": ["viewer", "editor", "admin", "owner", "api_key"],
  "catalogue:write": ["editor", "admin", "owner", "api_key"],
  "runs:dispatch": ["editor", "admin", "owner", "api_key"],
  /** Schedules, environments, secrets, quarantine. */
  "schedules:write": ["admin", "owner"],
  /** Members, invites, keys, the organisation's settings, its audit. */
  "organization:manage": ["admin", "owner"],
  /** Deleting the organisation, or handing it over. */
  "organization:own": ["owner"],
  "plan:read": ["admin", "billing", "owner"],
  "plan:write": ["billing", "owner"],
  "usage:read": ["viewer", "editor", "admin", "billing", "owner", "api_key"],
} as const satisfies Record<string, readonly Standing[]>;

/** Every permission. */
export const permissions = Object.keys(allowed) as readonly Permission[];

/** The permissions of a caller. */
export const permissionsOf = (standing: Standing): readonly Permission[] =>
  permissions.filter((permission) => mayDo(standing, permission).allowed);

/** Whether a caller has a permission, and the reason for the person if it has not. */
export const mayDo = (
  standing: Standing,
  permission: Permission,
): { readonly allowed: true } | { readonly allowed: false; readonly reason: string } => {
  const permitted: readonly Standing[] = allowed[permission];
  if (permitted.includes(standing)) return { allowed: true };
  const who = standing === "api_key" ? "An API key" : `The role ${standing}`;
  const others = permitted.filter((one) => one !== "api_key").join(", ");
  return {
    allowed: false,
    reason: `${who} may not do this (${permission}). It needs one of the roles: ${others}.`,
  };
};
