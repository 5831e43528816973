import { useQuery } from "@tanstack/react-query";
import { entitlementsQuery } from "./organization.ts";

type Permission = "results:read" | "catalogue:write" | "runs:dispatch" | "usage:read";

/** Whether the role may do something. False until the service has told: a button appears only if it will work. */
export const useMay = (permission: Permission): boolean => {
  const { data } = useQuery(entitlementsQuery());
  return data?.permissions.includes(permission) ?? false;
};
