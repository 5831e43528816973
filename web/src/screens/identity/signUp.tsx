import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { ask, client } from "../../service/client.ts";
import { acceptTokens } from "../../service/session.ts";
import { AlonePage } from "../../shell/pages.tsx";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Notice } from "../../ui/states.tsx";
import type { ReturnSearch } from "../search.ts";

const empty = { name: "", email: "", password: "", organization: "" };

export const SignUp = () => {
  const { return_to: returnTo } = useSearch({ strict: false }) as ReturnSearch;
  return (
    <AlonePage title="Create your account">
      <SignUpForm returnTo={returnTo ?? "/"} />
      <p className="muted small">
        Already signed up?{" "}
        <Link to="/sign-in" search={{ return_to: returnTo }}>
          Sign in
        </Link>
      </p>
    </AlonePage>
  );
};

const SignUpForm = ({ returnTo }: { readonly returnTo: string }) => {
  const [form, setForm] = useState(empty);
  const navigate = useNavigate();
  const signUp = useMutation({
    mutationFn: () => requestSignUp(form),
    onSuccess: (answer) => {
      acceptTokens({ ...answer, organizations: [answer.organization] });
      void navigate({ to: returnTo });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signUp.mutate();
  };
  const inputOf = (name: keyof typeof empty) => ({
    value: form[name],
    onChange: (event: { target: { value: string } }) =>
      setForm({ ...form, [name]: event.target.value }),
  });
  return (
    <form onSubmit={submit}>
      {signUp.error && <Notice kind="error">{signUp.error.message}</Notice>}
      <Field label="Your name" autoComplete="name" required autoFocus {...inputOf("name")} />
      <Field
        label="E-mail address"
        type="email"
        autoComplete="username"
        required
        {...inputOf("email")}
      />
      <Field
        label="Password"
        type="password"
        autoComplete="new-password"
        required
        minLength={8}
        hint="At least 8 characters"
        {...inputOf("password")}
      />
      <Field
        label="Organisation (optional)"
        autoComplete="organization"
        hint="Your tests belong to it. You can invite others later."
        {...inputOf("organization")}
      />
      <Button look="primary" type="submit" busy={signUp.isPending && "Creating the account…"}>
        Sign up
      </Button>
    </form>
  );
};

const requestSignUp = ({ organization, ...person }: typeof empty) => {
  const named = organization.trim() === "" ? {} : { organization_name: organization.trim() };
  return ask(client.POST("/api/v1/auth/signup", { body: { ...person, ...named } }));
};
