import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useEffect, useState } from "react";
import { ask, client } from "../../service/client.ts";
import { providersQuery } from "../../service/organization.ts";
import { acceptTokens } from "../../service/session.ts";
import { useSession } from "../../service/useSession.ts";
import { AlonePage } from "../../shell/pages.tsx";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Notice } from "../../ui/states.tsx";
import type { ReturnSearch } from "../search.ts";

export const SignIn = () => {
  const { return_to: returnTo = "/", expired } = useSearch({ strict: false }) as ReturnSearch;
  const session = useSession();
  const navigate = useNavigate();
  useEffect(() => {
    if (session.status === "signedIn") void navigate({ to: returnTo, replace: true });
  }, [session.status, navigate, returnTo]);
  return (
    <AlonePage title="Sign in">
      {expired && (
        <Notice kind="info">Your session has ended. Sign in to continue where you were.</Notice>
      )}
      <PasswordForm />
      <Providers returnTo={returnTo} />
      <p className="muted small">
        No account yet?{" "}
        <Link to="/sign-up" search={{ return_to: returnTo === "/" ? undefined : returnTo }}>
          Sign up
        </Link>
      </p>
    </AlonePage>
  );
};

const PasswordForm = () => {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const login = useMutation({
    mutationFn: () => ask(client.POST("/api/v1/auth/login", { body: { email, password } })),
    onSuccess: acceptTokens,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    login.mutate();
  };
  return (
    <form onSubmit={submit}>
      {login.error && <Notice kind="error">{login.error.message}</Notice>}
      <Field
        label="E-mail address"
        type="email"
        autoComplete="username"
        required
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <Field
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        hint={<Link to="/forgot-password">Forgot your password?</Link>}
      />
      <Button look="primary" type="submit" busy={login.isPending && "Signing in…"}>
        Sign in
      </Button>
    </form>
  );
};

/** The identity providers of the operator; nothing without any. */
const Providers = ({ returnTo }: { readonly returnTo: string }) => {
  const { data } = useQuery(providersQuery());
  if (!data || data.items.length === 0) return null;
  return (
    <div className="stack">
      <p className="or">or</p>
      {data.items.map(({ id, name }) => (
        <a
          key={id}
          className="button plain wide"
          href={`/api/v1/auth/oauth/${id}/start?return_to=${encodeURIComponent(returnTo)}`}
        >
          Continue with {name}
        </a>
      ))}
    </div>
  );
};
