import "../runs/runs.css";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import {
  changePassword,
  requestVerification,
  revokeOtherSessions,
  revokeSession,
  sessionsQuery,
} from "../../service/account.ts";
import { messageOf } from "../../service/errors.ts";
import { useSignedIn } from "../../service/useSession.ts";
import { Page } from "../../shell/pages.tsx";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Failure, Loading, Notice } from "../../ui/states.tsx";
import { Ago } from "../../ui/time.tsx";
import { report } from "../../ui/toasts.tsx";
import { deviceName } from "./deviceName.ts";

export const Account = () => {
  const { user } = useSignedIn();
  return (
    <Page title="Your account">
      <p className="muted">
        {user.name} · {user.email}
      </p>
      {!user.email_verified && <Unverified email={user.email} />}
      <Sessions />
      <Password />
    </Page>
  );
};

const Unverified = ({ email }: { readonly email: string }) => {
  const request = useMutation({
    mutationFn: () => requestVerification(email),
    onError: (error) => report("error", messageOf(error)),
  });
  if (request.isSuccess) {
    return <Notice kind="success">A mail with a link is on its way to {email}.</Notice>;
  }
  return (
    <Notice kind="warning">
      <div className="stack">
        <span>Your address is not confirmed.</span>
        <div>
          <Button onClick={() => request.mutate()} busy={request.isPending && "Sending…"}>
            Send the link again
          </Button>
        </div>
      </div>
    </Notice>
  );
};

const Sessions = () => {
  const { data, error, refetch } = useQuery(sessionsQuery());
  const revoke = useMutation({
    mutationFn: (id: string | null) => (id === null ? revokeOtherSessions() : revokeSession(id)),
    onError: (failure) => report("error", messageOf(failure)),
  });
  if (error) {
    return (
      <Failure
        title="Your sessions could not be loaded"
        detail={error.message}
        onRetry={() => void refetch()}
      />
    );
  }
  if (!data) return <Loading label="Loading your sessions" />;
  return (
    <section className="stack" aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      <ul className="card rows">
        {data.items.map(({ id, device, address, current, last_used_at }) => (
          <li key={id} className="row">
            <span className="row-main">
              <span className="row-title" title={device}>
                {deviceName(device)}
              </span>
              <span className="row-note">
                {current ? "This browser" : address} · used <Ago at={last_used_at} />
              </span>
            </span>
            {!current && (
              <Button onClick={() => revoke.mutate(id)} disabled={revoke.isPending}>
                Sign out
              </Button>
            )}
          </li>
        ))}
      </ul>
      {data.items.length > 1 && (
        <div>
          <Button onClick={() => revoke.mutate(null)} disabled={revoke.isPending}>
            Sign out everywhere else
          </Button>
        </div>
      )}
    </section>
  );
};

const Password = () => {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const change = useMutation({
    mutationFn: () => changePassword(current, next),
    onSuccess: () => {
      setCurrent("");
      setNext("");
      report("success", "Your password is changed");
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <section className="stack narrow" aria-labelledby="password">
      <h2 id="password">Password</h2>
      <form className="stack" onSubmit={submit}>
        {change.error && <Notice kind="error">{change.error.message}</Notice>}
        <Field
          label="Current password"
          type="password"
          autoComplete="current-password"
          required
          value={current}
          onChange={(event) => setCurrent(event.target.value)}
        />
        <Field
          label="New password"
          type="password"
          autoComplete="new-password"
          required
          minLength={8}
          value={next}
          onChange={(event) => setNext(event.target.value)}
          hint="At least 8 characters. It signs you out everywhere else."
        />
        <div>
          <Button type="submit" busy={change.isPending && "Changing…"}>
            Change the password
          </Button>
        </div>
      </form>
    </section>
  );
};
