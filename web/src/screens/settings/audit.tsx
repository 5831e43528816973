import { useInfiniteQuery } from "@tanstack/react-query";
import { type AuditEvent, auditQuery } from "../../service/audit.ts";
import { useSignedIn } from "../../service/useSession.ts";
import { Icon } from "../../ui/icon.tsx";
import { PagedRows } from "../../ui/pagedRows.tsx";
import { Empty } from "../../ui/states.tsx";
import { Ago } from "../../ui/time.tsx";
import { eventWords } from "../eventWords.ts";
import { Needs } from "../forbidden.tsx";
import { SettingsPage } from "./settingsPage.tsx";

/** The audited events of the organisation: sign-ins, members, roles, invites, keys, exports, quarantines. */
export const Audit = () => (
  <SettingsPage title="Audit">
    <Needs permission="organization:manage" act="read the audit">
      <Events />
    </Needs>
  </SettingsPage>
);

const Events = () => {
  const { organization } = useSignedIn();
  const query = useInfiniteQuery(auditQuery(organization?.id ?? ""));
  return (
    <section className="stack" aria-labelledby="audit">
      <h2 id="audit">Audited events</h2>
      <PagedRows query={query} what="events" empty={<Empty icon="clock" title="No events yet" />}>
        {(event) => <EventRow key={event.id} event={event} />}
      </PagedRows>
    </section>
  );
};

const EventRow = ({ event }: { readonly event: AuditEvent }) => {
  const { actor, user_name, user_id, occurred_at, details } = event;
  const by = actor.name ?? actor.email ?? actor.type;
  const concerned = user_name !== null && user_id !== actor.id ? ` · ${user_name}` : "";
  return (
    <li className="row">
      <details className="row-main">
        <summary>
          <Icon name="right" />
          <span className="row-title">{eventWords(event.event)}</span>
          <span className="row-note">
            {by}
            {concerned}
          </span>
        </summary>
        <pre className="event-data">{JSON.stringify(details, null, 2)}</pre>
      </details>
      <span className="row-time">
        <Ago at={occurred_at} />
      </span>
    </li>
  );
};
