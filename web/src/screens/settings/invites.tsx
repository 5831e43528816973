import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { messageOf } from "../../service/errors.ts";
import {
  type GivenRole,
  givenRoles,
  type Invite,
  invite,
  invitesQuery,
  resendInvite,
  revokeInvite,
  roleLabel,
} from "../../service/members.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/choice.tsx";
import { Field } from "../../ui/field.tsx";
import { PagedRows } from "../../ui/pagedRows.tsx";
import { Notice } from "../../ui/states.tsx";
import { Ago } from "../../ui/time.tsx";
import { report } from "../../ui/toasts.tsx";
import { Limit } from "./limit.tsx";

/** Invites people by mail, and lists the invites that are open. */
export const Invites = () => {
  const query = useInfiniteQuery(invitesQuery());
  const isEmpty = query.data?.pages.every(({ items }) => items.length === 0);
  return (
    <section className="stack" aria-labelledby="invites">
      <div className="section-head">
        <h2 id="invites">Invite people</h2>
        <Limit name="seats" unit="seat" />
      </div>
      <InviteForm />
      {!isEmpty && (
        <PagedRows query={query} what="invites" empty={null}>
          {(open) => <InviteRow key={open.id} open={open} />}
        </PagedRows>
      )}
    </section>
  );
};

const InviteForm = () => {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<GivenRole>("editor");
  const send = useMutation({
    mutationFn: () => invite(email, role),
    onSuccess: () => {
      report("success", `An invite is on its way to ${email}`);
      setEmail("");
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send.mutate();
  };
  const may = givenRoles.find(({ value }) => value === role)?.may;
  return (
    <form className="stack" onSubmit={submit}>
      {send.error && <Notice kind="error">{send.error.message}</Notice>}
      <div className="inline-form">
        <Field
          label="E-mail address"
          type="email"
          required
          autoComplete="off"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          hint={`The role ${roleLabel(role).toLowerCase()} ${may}.`}
        />
        <Select
          label="Role"
          value={role}
          options={givenRoles}
          onChoose={(chosen) => setRole(chosen as GivenRole)}
        />
        <Button type="submit" look="primary" busy={send.isPending && "Sending…"}>
          Invite
        </Button>
      </div>
    </form>
  );
};

const InviteRow = ({ open }: { readonly open: Invite }) => {
  const { id, email, role, created_at, expires_at } = open;
  const onError = (error: unknown) => report("error", messageOf(error));
  const resend = useMutation({
    mutationFn: () => resendInvite(id),
    onSuccess: () => report("success", `The invite is on its way to ${email} again`),
    onError,
  });
  const revoke = useMutation({
    mutationFn: () => revokeInvite(id),
    onSuccess: () => report("success", `The invite of ${email} is revoked`),
    onError,
  });
  return (
    <li className="row">
      <span className="row-main">
        <span className="row-title">{email ?? "An erased person"}</span>
        <span className="row-note">
          {roleLabel(role)} · invited <Ago at={created_at} /> · expires <Ago at={expires_at} />
        </span>
      </span>
      <Button
        aria-label={`Send the invite of ${email} again`}
        onClick={() => resend.mutate()}
        busy={resend.isPending && "Sending…"}
      >
        Send again
      </Button>
      <Button
        aria-label={`Revoke the invite of ${email}`}
        onClick={() => revoke.mutate()}
        busy={revoke.isPending && "Revoking…"}
      >
        Revoke
      </Button>
    </li>
  );
};
