import { useMutation } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { ask, client } from "../../service/client.ts";
import { AlonePage } from "../../shell/pages.tsx";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Notice } from "../../ui/states.tsx";
import type { TokenSearch } from "../search.ts";

export const ForgotPassword = () => {
  const [email, setEmail] = useState("");
  const request = useMutation({
    mutationFn: () => ask(client.POST("/api/v1/auth/password/forgot", { body: { email } })),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    request.mutate();
  };
  return (
    <AlonePage title="Set a new password">
      {request.isSuccess ? (
        <Notice kind="success">
          If {email} has an account, a mail with a link is on its way. The link works once, within
          an hour.
        </Notice>
      ) : (
        <form onSubmit={submit}>
          {request.error && <Notice kind="error">{request.error.message}</Notice>}
          <Field
            label="E-mail address"
            type="email"
            autoComplete="username"
            required
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.target.value)}
            hint="We send a link to this address."
          />
          <Button look="primary" type="submit" busy={request.isPending && "Sending the mail…"}>
            Send the link
          </Button>
        </form>
      )}
      <p className="small">
        <Link to="/sign-in">Back to the sign-in</Link>
      </p>
    </AlonePage>
  );
};

export const ResetPassword = () => {
  const { token = "" } = useSearch({ strict: false }) as TokenSearch;
  const [password, setPassword] = useState("");
  const reset = useMutation({
    mutationFn: () =>
      ask(client.POST("/api/v1/auth/password/reset", { body: { token, password } })),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    reset.mutate();
  };
  if (reset.isSuccess) {
    return (
      <AlonePage title="Your password is set">
        <p className="muted">You are signed out everywhere. Sign in with the new password.</p>
        <Link className="button primary wide" to="/sign-in">
          Sign in
        </Link>
      </AlonePage>
    );
  }
  return (
    <AlonePage title="Set a new password">
      <form onSubmit={submit}>
        {(reset.error || token === "") && (
          <Notice kind="error">
            {reset.error?.message ?? "The link is incomplete. Open it from the mail again."}{" "}
            <Link to="/forgot-password">Request another link</Link>
          </Notice>
        )}
        <Field
          label="New password"
          type="password"
          autoComplete="new-password"
          required
          minLength={8}
          autoFocus
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          hint="At least 8 characters. It signs you out everywhere."
        />
        <Button look="primary" type="submit" busy={reset.isPending && "Setting the password…"}>
          Set the password
        </Button>
      </form>
    </AlonePage>
  );
};
