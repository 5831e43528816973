import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { messageOf } from "../../service/errors.ts";
import {
  addContact,
  type Contact,
  contactsQuery,
  enableContact,
  removeContact,
} from "../../service/notifications.ts";
import { useMay } from "../../service/usePermissions.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { PagedRows } from "../../ui/pagedRows.tsx";
import { Notice } from "../../ui/states.tsx";
import { report } from "../../ui/toasts.tsx";

/** The addresses that get the mails. */
export const Contacts = () => {
  const query = useInfiniteQuery(contactsQuery());
  const mayWrite = useMay("schedules:write");
  return (
    <section className="stack" aria-labelledby="contacts">
      <h2 id="contacts">Contacts</h2>
      {mayWrite && <ContactForm />}
      <PagedRows
        query={query}
        what="contacts"
        empty={<p className="muted">No contacts yet: nobody gets a mail.</p>}
      >
        {(contact) => <ContactRow key={contact.id} contact={contact} />}
      </PagedRows>
    </section>
  );
};

const ContactForm = () => {
  const [email, setEmail] = useState("");
  const add = useMutation({
    mutationFn: () => addContact(email),
    onSuccess: () => {
      report("success", `A mail to ${email} asks for its consent`);
      setEmail("");
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <form className="form" onSubmit={submit}>
      {add.error && <Notice kind="error">{add.error.message}</Notice>}
      <div className="inline-form">
        <Field
          label="E-mail address"
          type="email"
          required
          autoComplete="off"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          hint="It gets mails once its owner has confirmed it."
        />
        <Button type="submit" busy={add.isPending && "Adding…"}>
          Add
        </Button>
      </div>
    </form>
  );
};

const ContactRow = ({ contact }: { readonly contact: Contact }) => {
  const { id, email, name, verified, enabled } = contact;
  const mayWrite = useMay("schedules:write");
  const onError = (error: unknown) => report("error", messageOf(error));
  const enable = useMutation({ mutationFn: () => enableContact(id, !enabled), onError });
  const remove = useMutation({ mutationFn: () => removeContact(id), onError });
  const state = !verified ? "Not confirmed yet" : enabled ? "Gets mails" : "Paused";
  return (
    <li className="row">
      <span className="row-main">
        <span className="row-title">{email ?? name ?? "An erased person"}</span>
        <span className="row-note">{state}</span>
      </span>
      {mayWrite && (
        <>
          <Button
            aria-label={`${enabled ? "Pause" : "Resume"} ${email}`}
            onClick={() => enable.mutate()}
            disabled={enable.isPending}
          >
            {enabled ? "Pause" : "Resume"}
          </Button>
          <Button
            aria-label={`Remove ${email}`}
            onClick={() => remove.mutate()}
            busy={remove.isPending && "Removing…"}
          >
            Remove
          </Button>
        </>
      )}
    </li>
  );
};
