import { useQuery } from "@tanstack/react-query";
import type { Answer } from "../../../src/client/client.ts";
import { entitlementsQuery } from "./organization.ts";

type Entitlements = Answer<"readEntitlements", 200>;
export type Permission = Entitlements["permissions"][number];
export type Entitlement = Entitlements["items"][number];

/** Whether the role may do something. False until the service has told: a button appears only if it will work. */
export const useMay = (permission: Permission): boolean => {
  const { data } = useQuery(entitlementsQuery());
  return data?.permissions.includes(permission) ?? false;
};

/** A limit or an action of the plan; undefined until the service has told. */
export const useEntitlement = (name: Entitlement["name"]): Entitlement | undefined => {
  const { data } = useQuery(entitlementsQuery());
  return data?.items.find((item) => item.name === name);
};
