import { useMutation, useQuery } from "@tanstack/react-query";
import { messageOf } from "../../service/errors.ts";
import {
  changePreferences,
  type Preferences,
  preferencesQuery,
} from "../../service/notifications.ts";
import { useMay } from "../../service/usePermissions.ts";
import { Check, Select } from "../../ui/choice.tsx";
import { Failure, Loading, Notice } from "../../ui/states.tsx";
import { report } from "../../ui/toasts.tsx";
import { Needs } from "../forbidden.tsx";
import { Contacts } from "./contacts.tsx";
import { SettingsPage } from "./settingsPage.tsx";

/** Which runs send mails, and to whom. */
export const Notifications = () => (
  <SettingsPage title="Notifications">
    <Needs permission="results:read" act="read notifications">
      <Mails />
      <Contacts />
    </Needs>
  </SettingsPage>
);

const occasions = [
  { value: "every_run", label: "After every run" },
  { value: "failures", label: "After every run that did not pass" },
  { value: "changes", label: "When the result changes" },
];

const sources = [
  { value: "schedule", label: "Runs of schedules" },
  { value: "user", label: "Runs that a person starts" },
  { value: "api_key", label: "Runs that an API key starts" },
] as const;

const Mails = () => {
  const { data, error, refetch } = useQuery(preferencesQuery());
  const mayWrite = useMay("schedules:write");
  const store = useMutation({
    mutationFn: changePreferences,
    onSuccess: () => report("success", "The notifications are saved"),
    onError: (failure) => report("error", messageOf(failure)),
  });
  if (error && !data) {
    return (
      <Failure
        title="The notifications could not be loaded"
        detail={error.message}
        onRetry={() => void refetch()}
      />
    );
  }
  if (!data) return <Loading label="Loading the notifications" />;
  const shown = store.isPending ? store.variables : data;
  const set = (change: Partial<Preferences>) => store.mutate({ ...data, ...change });
  const toggle = (source: Preferences["sources"][number], on: boolean) =>
    set({ sources: [...data.sources.filter((each) => each !== source), ...(on ? [source] : [])] });
  return (
    <section className="stack" aria-labelledby="mails">
      <h2 id="mails">Mails</h2>
      {!mayWrite && (
        <Notice kind="info">Only owners and administrators change notifications.</Notice>
      )}
      <fieldset className="form" disabled={!mayWrite || store.isPending}>
        <Select
          label="Send a mail"
          value={shown.on}
          options={occasions}
          onChoose={(on) => set({ on: on as Preferences["on"] })}
        />
        <div className="stack">
          {sources.map(({ value, label }) => (
            <Check
              key={value}
              label={label}
              checked={shown.sources.includes(value)}
              onChange={(on) => toggle(value, on)}
            />
          ))}
          <Check
            label="Scheduled runs that the quota refused"
            checked={shown.refusals}
            onChange={(refusals) => set({ refusals })}
          />
        </div>
      </fieldset>
    </section>
  );
};
