import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { createApiKey, type NewApiKey } from "../../service/apiKeys.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Notice } from "../../ui/states.tsx";
import { report } from "../../ui/toasts.tsx";

type DialogProps = { readonly isOpen: boolean; readonly onClose: () => void };

/** Creates a key and shows it once. */
export const NewApiKeyDialog = ({ isOpen, onClose }: DialogProps) => {
  const [created, setCreated] = useState<NewApiKey | null>(null);
  const close = () => {
    setCreated(null);
    onClose();
  };
  return (
    <Dialog
      isOpen={isOpen}
      title={created ? `The key ${created.name}` : "New API key"}
      onClose={close}
    >
      {created ? (
        <CreatedKey created={created} onClose={close} />
      ) : (
        <KeyForm onCreated={setCreated} onClose={close} />
      )}
    </Dialog>
  );
};

const lifetimes = [
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "never", label: "Never" },
];

type KeyFormProps = {
  readonly onCreated: (created: NewApiKey) => void;
  readonly onClose: () => void;
};

const KeyForm = ({ onCreated, onClose }: KeyFormProps) => {
  const [name, setName] = useState("");
  const [lifetime, setLifetime] = useState("90");
  const create = useMutation({
    mutationFn: () => createApiKey(name, lifetime === "never" ? null : Number(lifetime)),
    onSuccess: onCreated,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <form className="form" onSubmit={submit}>
      {create.error && <Notice kind="error">{create.error.message}</Notice>}
      <Field
        label="Name"
        placeholder="ci"
        required
        maxLength={100}
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.target.value)}
        hint="Runs that the key starts carry this name."
      />
      <Select label="Expires" value={lifetime} options={lifetimes} onChoose={setLifetime} />
      <p className="muted small">
        The key may write and run tests and read results of this organisation.
      </p>
      <div className="actions end">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={create.isPending && "Creating…"}>
          Create
        </Button>
      </div>
    </form>
  );
};

type CreatedProps = { readonly created: NewApiKey; readonly onClose: () => void };

/** Browsers allow the clipboard only on secure origins. Elsewhere a click selects the key. */
const CreatedKey = ({ created, onClose }: CreatedProps) => {
  const copy = () =>
    navigator.clipboard.writeText(created.key).then(
      () => report("success", "The key is copied"),
      () => report("error", "The browser did not copy the key. Select it and copy it by hand."),
    );
  return (
    <div className="form">
      <Notice kind="warning">Copy the key now. It is not shown again.</Notice>
      <div className="secret">
        <code data-testid="secret">{created.key}</code>
        {isSecureContext && (
          <Button icon="copy" onClick={() => void copy()}>
            Copy
          </Button>
        )}
      </div>
      <div className="actions end">
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
};
