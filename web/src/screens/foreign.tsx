import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { statusOf } from "../service/errors.ts";
import { queryClient } from "../service/queryClient.ts";
import { chooseOrganization } from "../service/session.ts";
import { useSignedIn } from "../service/useSession.ts";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/states.tsx";

/** Offers the caller's other organisations if a link leads to a resource of one of them; else shows the children. */
export const Foreign = ({
  error,
  children,
}: {
  readonly error: unknown;
  readonly children: ReactNode;
}) => {
  const { organizations, organization } = useSignedIn();
  const navigate = useNavigate();
  const others = organizations.filter(({ id }) => id !== organization?.id);
  if (statusOf(error) !== 403 || others.length === 0) return children;
  const choose = (id: string) => {
    chooseOrganization(id);
    queryClient.clear();
    void navigate({ to: ".", search: true, replace: true });
  };
  return (
    <Failure
      title={`This does not belong to ${organization?.name ?? "your organisation"}`}
      detail="The link may lead to another of your organisations. Open it there:"
    >
      {others.map(({ id, name }) => (
        <Button key={id} onClick={() => choose(id)}>
          {name}
        </Button>
      ))}
    </Failure>
  );
};
