import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Answer } from "../../../../src/client/client.ts";
import { ask, client } from "../../service/client.ts";
import { queryClient } from "../../service/queryClient.ts";
import { chooseOrganization, refresh } from "../../service/session.ts";
import { signOut } from "../../service/signOut.ts";
import { useSession } from "../../service/useSession.ts";
import { AlonePage } from "../../shell/pages.tsx";
import { Button } from "../../ui/button.tsx";
import { Loading, Notice } from "../../ui/states.tsx";
import type { TokenSearch } from "../search.ts";

type Invite = Answer<"lookUpInvite", 200>;

export const AcceptInvite = () => {
  const { token = "" } = useSearch({ strict: false }) as TokenSearch;
  const { data, error } = useQuery({
    queryKey: ["invite", token],
    queryFn: ({ signal }) =>
      ask(client.GET("/api/v1/invites/lookup", { params: { query: { token } }, signal })),
  });
  if (error) {
    return (
      <AlonePage title="The invite cannot be opened">
        <Notice kind="error">{error.message}</Notice>
        <p className="muted">Ask the person who invited you for another one.</p>
      </AlonePage>
    );
  }
  if (!data) {
    return (
      <AlonePage title="Invite">
        <Loading label="Looking up the invite" />
      </AlonePage>
    );
  }
  return (
    <AlonePage title={`Join ${data.organization.name}`}>
      <p className="muted">
        You are invited to {data.organization.name} with the role {data.role}. The invite is for{" "}
        {data.email}.
      </p>
      <Acceptance token={token} invite={data} />
    </AlonePage>
  );
};

const Acceptance = ({ token, invite }: { readonly token: string; readonly invite: Invite }) => {
  const session = useSession();
  const navigate = useNavigate();
  const accept = useMutation({
    mutationFn: () => ask(client.POST("/api/v1/invites/accept", { body: { token } })),
    onSuccess: async ({ organization }) => {
      await refresh();
      chooseOrganization(organization.id);
      queryClient.clear();
      await navigate({ to: "/" });
    },
  });
  if (session.status !== "signedIn") {
    const search = { return_to: `/invites/accept?token=${encodeURIComponent(token)}` };
    return (
      <div className="actions">
        <Link className="button primary" to="/sign-up" search={search}>
          Sign up to join
        </Link>
        <Link className="button plain" to="/sign-in" search={search}>
          Sign in to join
        </Link>
      </div>
    );
  }
  const isOther = session.user.email.toLowerCase() !== invite.email.toLowerCase();
  return (
    <>
      {accept.error && <Notice kind="error">{accept.error.message}</Notice>}
      {isOther && (
        <Notice kind="warning">
          You are signed in as {session.user.email}. Sign in with {invite.email} to accept.
        </Notice>
      )}
      <div className="actions">
        <Button
          look="primary"
          disabled={isOther}
          onClick={() => accept.mutate()}
          busy={accept.isPending && "Joining…"}
        >
          Accept the invite
        </Button>
        {isOther && <Button onClick={() => void signOut()}>Sign out</Button>}
      </div>
    </>
  );
};
