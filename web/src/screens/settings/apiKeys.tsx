import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { type ApiKey, apiKeysQuery, revokeApiKey } from "../../service/apiKeys.ts";
import { messageOf } from "../../service/errors.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { PagedRows } from "../../ui/pagedRows.tsx";
import { Empty } from "../../ui/states.tsx";
import { Ago } from "../../ui/time.tsx";
import { report } from "../../ui/toasts.tsx";
import { Needs } from "../forbidden.tsx";
import { Limit } from "./limit.tsx";
import { NewApiKeyDialog } from "./newApiKey.tsx";
import { SettingsPage } from "./settingsPage.tsx";

/** The keys with which programs call the API. */
export const ApiKeys = () => (
  <SettingsPage title="API keys">
    <Needs permission="organization:manage" act="manage API keys">
      <KeyList />
    </Needs>
  </SettingsPage>
);

const KeyList = () => {
  const query = useInfiniteQuery(apiKeysQuery());
  const [isCreating, setCreating] = useState(false);
  const create = (
    <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
      New API key
    </Button>
  );
  const isEmpty = query.data?.pages[0]?.items.length === 0;
  return (
    <section className="stack" aria-labelledby="keys">
      <div className="section-head">
        <div>
          <h2 id="keys">API keys</h2>
          <Limit name="api_keys" unit="API key" />
        </div>
        {!isEmpty && create}
      </div>
      <PagedRows
        query={query}
        what="API keys"
        empty={
          <Empty icon="key" title="No API keys yet">
            <p>
              A program such as your CI calls the API with a key. It may write and run tests and
              read their results, and nothing else.
            </p>
            {create}
          </Empty>
        }
      >
        {(key) => <KeyRow key={key.id} apiKey={key} />}
      </PagedRows>
      <NewApiKeyDialog isOpen={isCreating} onClose={() => setCreating(false)} />
    </section>
  );
};

const KeyRow = ({ apiKey }: { readonly apiKey: ApiKey }) => {
  const { id, name, prefix, created_at, last_used_at, expires_at } = apiKey;
  const revoke = useMutation({
    mutationFn: () => revokeApiKey(id),
    onSuccess: () => report("success", `The key ${name} is revoked`),
    onError: (error) => report("error", messageOf(error)),
  });
  const isExpired = expires_at !== null && Date.parse(expires_at) <= Date.now();
  return (
    <li className="row">
      <span className="row-main">
        <span className="row-title">
          {name} <code className="muted">{prefix}…</code>
        </span>
        <span className="row-note">
          created <Ago at={created_at} /> ·{" "}
          {last_used_at ? (
            <>
              used <Ago at={last_used_at} />
            </>
          ) : (
            "never used"
          )}{" "}
          ·{" "}
          {expires_at ? (
            <>
              {isExpired ? "expired" : "expires"} <Ago at={expires_at} />
            </>
          ) : (
            "does not expire"
          )}
        </span>
      </span>
      <Confirm
        trigger={
          <Button aria-label={`Revoke ${name}`} busy={revoke.isPending && "Revoking…"}>
            Revoke
          </Button>
        }
        title={`Revoke the key ${name}?`}
        text="The service refuses every call with this key from now on. This cannot be undone."
        action="Revoke"
        onConfirm={() => revoke.mutate()}
      />
    </li>
  );
};
