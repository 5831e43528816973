import { type Entitlement, useEntitlement } from "../../service/usePermissions.ts";
import { counted, planName } from "../plan/words.ts";

type LimitProps = { readonly name: Entitlement["name"]; readonly unit: string };

/** The limit that the plan sets, and the plan that allows more. */
export const Limit = ({ name, unit }: LimitProps) => {
  const entitlement = useEntitlement(name);
  if (!entitlement || entitlement.limit === null) return null;
  const { limit, more_on } = entitlement;
  return (
    <span className="muted small">
      Your plan allows {counted(limit, unit)}
      {more_on && `, the plan ${planName(more_on)} allows more`}.
    </span>
  );
};
