import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { statusOf } from "../../service/errors.ts";
import { organizationQuery } from "../../service/organization.ts";
import { withScheme } from "../../service/runs.ts";
import {
  changeSchedule,
  createSchedule,
  type Schedule,
  type ScheduleTerms,
} from "../../service/schedules.ts";
import { useSignedIn } from "../../service/useSession.ts";
import { Button } from "../../ui/button.tsx";
import { Check, Select } from "../../ui/choice.tsx";
import { Field } from "../../ui/field.tsx";
import { Notice } from "../../ui/states.tsx";
import { ZoneSelect } from "../settings/zoneSelect.tsx";
import { lastBaseUrl } from "../tests/baseUrl.ts";
import { CronField } from "./cronField.tsx";
import { TestChoice } from "./testChoice.tsx";

type FormProps = {
  readonly stored: Schedule | null;
  readonly onStored: (schedule: Schedule) => void;
};

const overlaps = [
  { value: "skip", label: "Skip the new run" },
  { value: "queue", label: "Start the new run too" },
  { value: "cancel_older", label: "Cancel the earlier run" },
];

const newTerms = (baseUrl: string): ScheduleTerms => ({
  name: "",
  cron: "0 7 * * 1-5",
  timezone: "",
  test_ids: [],
  test_set_ids: [],
  base_url: baseUrl,
  overlap: "skip",
  failures_only: false,
  notification_emails: [],
});

type Draft = ReturnType<typeof useDraft>;

/** The terms as typed, and the act that stores them. */
const useDraft = ({ stored, onStored }: FormProps) => {
  const { organization } = useSignedIn();
  const organizationId = organization?.id ?? "";
  const { data: settings } = useQuery(organizationQuery(organizationId));
  const [terms, setTerms] = useState<ScheduleTerms>(
    stored ?? newTerms(lastBaseUrl(organizationId)),
  );
  const [emails, setEmails] = useState(terms.notification_emails.join(", "));
  const timezone = terms.timezone || (settings?.settings.time_zone ?? "UTC");
  const store = useMutation({
    mutationFn: () => {
      const body = { ...sent(terms), timezone, notification_emails: addresses(emails) };
      return stored ? changeSchedule(stored, body) : createSchedule(body);
    },
    onSuccess: onStored,
  });
  const set = (change: Partial<ScheduleTerms>) => setTerms((known) => ({ ...known, ...change }));
  return { terms, timezone, emails, store, set, setEmails };
};

/** The terms of a schedule: when it runs what, and who gets a mail. */
export const ScheduleForm = (props: FormProps) => {
  const draft = useDraft(props);
  const { terms, timezone, store, set } = draft;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    store.mutate();
  };
  const hasTests = terms.test_ids.length + terms.test_set_ids.length > 0;
  return (
    <form className="form" onSubmit={submit} aria-label="Schedule">
      {store.error && <Notice kind="error">{saveError(store.error)}</Notice>}
      <Field
        label="Name"
        placeholder="Every morning"
        required
        maxLength={100}
        value={terms.name}
        onChange={(event) => set({ name: event.target.value })}
      />
      <CronField value={terms.cron} onChange={(cron) => set({ cron })} />
      <ZoneSelect value={timezone} onChoose={(zone) => set({ timezone: zone })} />
      <TestChoice terms={terms} onChange={set} />
      <Options draft={draft} />
      <div>
        <Button
          type="submit"
          look="primary"
          disabled={!hasTests}
          busy={store.isPending && "Saving…"}
        >
          {props.stored ? "Save" : "Create the schedule"}
        </Button>
      </div>
      {!hasTests && <p className="note">Choose a test or a test set.</p>}
    </form>
  );
};

/** The terms that have a default. */
const Options = ({ draft }: { readonly draft: Draft }) => {
  const { user } = useSignedIn();
  const { terms, emails, set, setEmails } = draft;
  return (
    <>
      <Field
        label="Address of the site"
        placeholder="https://shop.example.com"
        inputMode="url"
        value={terms.base_url ?? ""}
        onChange={(event) => set({ base_url: event.target.value })}
      />
      <Select
        label="If the earlier run is not over"
        value={terms.overlap}
        options={overlaps}
        onChoose={(overlap) => set({ overlap: overlap as ScheduleTerms["overlap"] })}
      />
      <Field
        label="Mails to"
        placeholder={user.email}
        value={emails}
        onChange={(event) => setEmails(event.target.value)}
        hint="Addresses of members and confirmed contacts, separated by commas."
      />
      <Check
        label="Send mails only about runs that did not pass."
        checked={terms.failures_only}
        onChange={(failures_only) => set({ failures_only })}
      />
    </>
  );
};

/** The fields that the form edits; the service keeps the others. */
const sent = (terms: ScheduleTerms): ScheduleTerms => ({
  ...newTerms(""),
  name: terms.name,
  cron: terms.cron,
  test_ids: terms.test_ids,
  test_set_ids: terms.test_set_ids,
  base_url: terms.base_url ? withScheme(terms.base_url) : null,
  overlap: terms.overlap,
  failures_only: terms.failures_only,
});

const addresses = (text: string): string[] => text.split(/[\s,;]+/).filter((part) => part !== "");

const saveError = (error: Error): string =>
  statusOf(error) === 412
    ? "Somebody else changed the schedule in the meantime. Reload the page; then change it again."
    : error.message;
