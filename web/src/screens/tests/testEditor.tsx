import { useMutation } from "@tanstack/react-query";
import { Link, useBlocker, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { statusOf } from "../../service/errors.ts";
import { queueRun, withScheme } from "../../service/runs.ts";
import { changeTest, createTest, type Test } from "../../service/tests.ts";
import { useMay } from "../../service/usePermissions.ts";
import { useSignedIn } from "../../service/useSession.ts";
import { Page } from "../../shell/pages.tsx";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Notice } from "../../ui/states.tsx";
import { lastBaseUrl, rememberBaseUrl } from "./baseUrl.ts";
import { TestMenu } from "./testMenu.tsx";
import { useParsed } from "./useParsed.ts";
import { Workbench } from "./workbench.tsx";

const crumbs = [{ to: "/tests", label: "Tests" }];
const PLACEHOLDER = 'Go to /login\nType "ann" into "Name"\nClick "Sign in"\nI should see "Welcome"';

/** The text on the left, its steps on the right as one types, and the buttons that store and run it. */
export const TestEditor = ({ test }: { readonly test: Test | null }) => {
  const draft = useDraft(test);
  const mayWrite = useMay("catalogue:write");
  const { name, text, setName, setText, parsed } = draft;
  return (
    <Page
      title={test?.name ?? "New test"}
      crumbs={crumbs}
      actions={test && <TestActions test={test} />}
    >
      {mayWrite && (
        <Field
          label="Name"
          value={name}
          maxLength={100}
          autoFocus={test === null}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      <Workbench
        text={text}
        parsed={parsed}
        placeholder={PLACEHOLDER}
        onChange={mayWrite ? setText : undefined}
        onSubmit={draft.save}
      />
      {draft.error && <SaveError error={draft.error} />}
      <RunBar draft={draft} />
    </Page>
  );
};

const TestActions = ({ test }: { readonly test: Test }) => {
  const mayWrite = useMay("catalogue:write");
  return (
    <>
      <Link className="button plain" to="/tests/$testId/history" params={{ testId: test.id }}>
        History
      </Link>
      {mayWrite && <TestMenu test={test} />}
    </>
  );
};

type Draft = ReturnType<typeof useDraft>;

/** The text as typed, compared with the stored test. */
const useDraft = (test: Test | null) => {
  const navigate = useNavigate();
  const [name, setName] = useState(test?.name ?? "");
  const [text, setText] = useState(test?.text ?? "");
  const { parsed, isCurrent } = useParsed(text);
  const isDirty = name !== (test?.name ?? "") || text !== (test?.text ?? "");
  const storing = useMutation({
    mutationFn: () => {
      const body = { name: name.trim() || "Untitled test", text };
      return test ? changeTest(test, body) : createTest(body);
    },
    onSuccess: (stored) => setName(stored.name),
  });
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty && !storing.isSuccess && !confirmLeaving(),
    enableBeforeUnload: () => isDirty,
  });
  const open = async ({ id }: Test): Promise<void> => {
    if (test === null)
      await navigate({ to: "/tests/$testId", params: { testId: id }, replace: true });
  };
  return {
    ...{ test, name, text, parsed, isDirty, isCurrent, setName, setText, blocker },
    error: storing.error,
    isSaving: storing.isPending,
    store: storing.mutateAsync,
    save: () => {
      if (isDirty && !storing.isPending) void storing.mutateAsync().then(open, () => undefined);
    },
  };
};

/** The browser's own question also guards the closing of the tab. */
const confirmLeaving = (): boolean =>
  window.confirm("The test has changes that are not saved. Leave without saving?");

const SaveError = ({ error }: { readonly error: Error }) => (
  <Notice kind="error">
    {statusOf(error) === 412
      ? "Somebody else changed the test in the meantime. Copy your text, reload the page, and add it again."
      : error.message}
  </Notice>
);

const RunBar = ({ draft }: { readonly draft: Draft }) => {
  const { test, parsed, isDirty } = draft;
  const { organization } = useSignedIn();
  const organizationId = organization?.id ?? "";
  const navigate = useNavigate();
  const mayRun = useMay("runs:dispatch");
  const mayWrite = useMay("catalogue:write");
  const [address, setAddress] = useState(lastBaseUrl(organizationId));
  const run = useMutation({
    mutationFn: async () => {
      const stored = isDirty || !test ? await draft.store() : test;
      rememberBaseUrl(organizationId, withScheme(address));
      return queueRun({ testIds: [stored.id], baseUrl: address });
    },
    onSuccess: (runId) =>
      void navigate({ to: "/runs/$runId", params: { runId }, ignoreBlocker: true }),
  });
  const isRunnable = parsed.steps.length > 0 && parsed.warnings.length === 0;
  return (
    <>
      {run.error && !draft.error && <Notice kind="error">{run.error.message}</Notice>}
      <div className="run-bar">
        {mayRun && (
          <Field
            label="Address of the site"
            placeholder="https://shop.example.com"
            inputMode="url"
            value={address}
            onChange={(event) => setAddress(event.target.value)}
          />
        )}
        {mayWrite && (
          <Button
            onClick={draft.save}
            disabled={!isDirty}
            busy={draft.isSaving && !run.isPending && "Saving…"}
          >
            {isDirty ? "Save" : "Saved"}
          </Button>
        )}
        {mayRun && (
          <Button
            look="primary"
            icon="play"
            disabled={!isRunnable}
            onClick={() => run.mutate()}
            busy={run.isPending && "Queueing the run…"}
          >
            {isDirty ? "Save and run" : "Run"}
          </Button>
        )}
      </div>
    </>
  );
};
