import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { messageOf } from "../../service/errors.ts";
import {
  changeRole,
  type GivenRole,
  givenRoles,
  type Member,
  membersQuery,
  removeMember,
  roleLabel,
} from "../../service/members.ts";
import { useSignedIn } from "../../service/useSession.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/choice.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { PagedRows } from "../../ui/pagedRows.tsx";
import { Empty } from "../../ui/states.tsx";
import { Ago } from "../../ui/time.tsx";
import { report } from "../../ui/toasts.tsx";
import { Needs } from "../forbidden.tsx";
import { Invites } from "./invites.tsx";
import { SettingsPage } from "./settingsPage.tsx";

/** The members of an organisation and the invites that nobody has accepted yet. */
export const Members = () => (
  <SettingsPage title="Members">
    <Needs permission="organization:manage" act="manage members">
      <Invites />
      <MemberList />
    </Needs>
  </SettingsPage>
);

const MemberList = () => {
  const { organization } = useSignedIn();
  const query = useInfiniteQuery(membersQuery(organization?.id ?? ""));
  return (
    <section className="stack" aria-labelledby="members">
      <h2 id="members">Members</h2>
      <PagedRows query={query} what="members" empty={<Empty icon="user" title="No members" />}>
        {(member) => <MemberRow key={member.id} member={member} />}
      </PagedRows>
    </section>
  );
};

const MemberRow = ({ member }: { readonly member: Member }) => {
  const { organization, user } = useSignedIn();
  const organizationId = organization?.id ?? "";
  const name = member.name ?? member.email ?? "An erased person";
  const onError = (error: unknown) => report("error", messageOf(error));
  const change = useMutation({
    mutationFn: (role: GivenRole) => changeRole(organizationId, member.id, role),
    onSuccess: (_, role) => report("success", `${name} has the role ${roleLabel(role)} now`),
    onError,
  });
  const remove = useMutation({
    mutationFn: () => removeMember(organizationId, member.id),
    onSuccess: () => report("success", `${name} is no longer a member`),
    onError,
  });
  const isSelf = member.id === user.id;
  return (
    <li className="row">
      <span className="row-main">
        <span className="row-title">
          {name}
          {isSelf && <span className="muted"> (you)</span>}
        </span>
        <span className="row-note">
          {member.email} · joined <Ago at={member.joined_at} />
        </span>
      </span>
      {member.role === "owner" || isSelf ? (
        <span className="muted">{roleLabel(member.role)}</span>
      ) : (
        <>
          <Select
            label={`Role of ${name}`}
            isLabelHidden
            value={change.isPending ? change.variables : member.role}
            disabled={change.isPending}
            options={givenRoles}
            onChoose={(role) => change.mutate(role as GivenRole)}
          />
          <Confirm
            trigger={
              <Button aria-label={`Remove ${name}`} busy={remove.isPending && "Removing…"}>
                Remove
              </Button>
            }
            title={`Remove ${name}?`}
            text="They lose access to this organisation at once. Their tests and runs stay. To let them in again, invite them."
            action="Remove"
            onConfirm={() => remove.mutate()}
          />
        </>
      )}
    </li>
  );
};
