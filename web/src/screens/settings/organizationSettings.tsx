import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { statusOf } from "../../service/errors.ts";
import {
  changeOrganization,
  type Organization,
  organizationQuery,
} from "../../service/organization.ts";
import { useMay } from "../../service/usePermissions.ts";
import { useSignedIn } from "../../service/useSession.ts";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/choice.tsx";
import { Field } from "../../ui/field.tsx";
import { Failure, Loading, Notice } from "../../ui/states.tsx";
import { report } from "../../ui/toasts.tsx";
import { SettingsPage } from "./settingsPage.tsx";
import { ZoneSelect } from "./zoneSelect.tsx";

/** The name and the rules of an organisation. */
export const OrganizationSettings = () => {
  const { organization } = useSignedIn();
  const { data, error, refetch } = useQuery(organizationQuery(organization?.id ?? ""));
  return (
    <SettingsPage title="Settings">
      {error && !data ? (
        <Failure
          title="The settings could not be loaded"
          detail={error.message}
          onRetry={() => void refetch()}
        />
      ) : data ? (
        <Form key={data.version} stored={data} />
      ) : (
        <Loading label="Loading the settings" />
      )}
    </SettingsPage>
  );
};

const timeouts = [
  { name: "step_timeout_seconds", label: "Step, in seconds", min: 1, max: 120 },
  { name: "test_timeout_seconds", label: "Test, in seconds", min: 5, max: 7_200 },
  { name: "run_timeout_seconds", label: "Run, in seconds", min: 10, max: 604_800 },
] as const;

const Form = ({ stored }: { readonly stored: Organization }) => {
  const mayManage = useMay("organization:manage");
  const [name, setName] = useState(stored.name);
  const [settings, setSettings] = useState(stored.settings);
  const set = (change: Partial<Settings>) => setSettings((known) => ({ ...known, ...change }));
  const store = useMutation({
    mutationFn: () => changeOrganization(stored, { name, settings }),
    onSuccess: () => report("success", "The settings are saved"),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    store.mutate();
  };
  return (
    <form className="form" onSubmit={submit}>
      {!mayManage && <Notice kind="info">Only owners and administrators change settings.</Notice>}
      {store.error && <Notice kind="error">{saveError(store.error)}</Notice>}
      <fieldset className="form" disabled={!mayManage}>
        <Field
          label="Name"
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <ZoneSelect value={settings.time_zone} onChoose={(time_zone) => set({ time_zone })} />
        <Timeouts settings={settings} onChange={set} />
        <Check
          label="Propose a replacement if an element is no longer found."
          checked={settings.healing}
          onChange={(healing) => set({ healing })}
        />
        <Check
          label="Keep screenshots and recordings of tests that use secrets."
          hint="They may show the secrets."
          checked={settings.keep_evidence_with_secrets}
          onChange={(keep_evidence_with_secrets) => set({ keep_evidence_with_secrets })}
        />
        {mayManage && (
          <div>
            <Button type="submit" look="primary" busy={store.isPending && "Saving…"}>
              Save
            </Button>
          </div>
        )}
      </fieldset>
    </form>
  );
};

type Settings = Organization["settings"];

type TimeoutsProps = {
  readonly settings: Settings;
  readonly onChange: (change: Partial<Settings>) => void;
};

const Timeouts = ({ settings, onChange }: TimeoutsProps) => (
  <fieldset className="stack">
    <legend className="label">Longest duration</legend>
    <div className="form-columns">
      {timeouts.map(({ name, label, min, max }) => (
        <Field
          key={name}
          label={label}
          type="number"
          required
          min={min}
          max={max}
          value={settings[name]}
          onChange={(event) => onChange({ [name]: Number(event.target.value) })}
        />
      ))}
    </div>
  </fieldset>
);

const saveError = (error: Error): string =>
  statusOf(error) === 412
    ? "Somebody else changed the settings in the meantime. Reload the page; then change them again."
    : error.message;
