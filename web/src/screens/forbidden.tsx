import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { entitlementsQuery } from "../service/organization.ts";
import type { Permission } from "../service/usePermissions.ts";
import { useSignedIn } from "../service/useSession.ts";
import { Empty, Failure, Loading } from "../ui/states.tsx";

type NeedsProps = {
  readonly permission: Permission;
  /** The act that is refused, as in "may not …". */
  readonly act: string;
  readonly children: ReactNode;
};

/** Shows the children if the role may see them; else the reason. */
export const Needs = ({ permission, act, children }: NeedsProps) => {
  const { organization } = useSignedIn();
  const { data, error, refetch } = useQuery(entitlementsQuery());
  if (error && !data) {
    return (
      <Failure
        title="Your permissions could not be loaded"
        detail={error.message}
        onRetry={() => void refetch()}
      />
    );
  }
  if (!data) return <Loading label="Loading your permissions" />;
  if (data.permissions.includes(permission)) return children;
  return (
    <Empty icon="user" title={`The role ${data.role} may not ${act}`}>
      <p>
        Ask the owner or an administrator of {organization?.name ?? "the organisation"} for another
        role.
      </p>
    </Empty>
  );
};
