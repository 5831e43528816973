import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { queueRun, withScheme } from "../../service/runs.ts";
import { createTest } from "../../service/tests.ts";
import { useSignedIn } from "../../service/useSession.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Notice } from "../../ui/states.tsx";
import { rememberBaseUrl } from "../tests/baseUrl.ts";
import { useParsed } from "../tests/useParsed.ts";
import { Workbench } from "../tests/workbench.tsx";

const START = "Go to /\n";

/** Sentences that a click adds to the text. */
const examples = ['I should see "Welcome"', 'Click "Sign in"', 'Type "tea" into "Search"'];

const nameFor = (address: string): string => {
  const url = withScheme(address);
  return URL.canParse(url) ? `First test of ${new URL(url).host}` : "First test";
};

/** The way from nothing to a first run: an address, some sentences, run. */
export const FirstRun = () => {
  const [address, setAddress] = useState("");
  const [text, setText] = useState(START);
  const { parsed } = useParsed(text);
  const run = useFirstRun(address, text);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run.mutate();
  };
  const blocked = parsed.warnings.length > 0;
  return (
    <form className="page first-run" onSubmit={submit}>
      <p className="muted">
        Paste the address of a site and say in plain English what a visitor does and sees. Runledger
        does it in a real browser and shows you every step.
      </p>
      <Field
        label="Address of the site"
        placeholder="https://shop.example.com"
        inputMode="url"
        autoFocus
        required
        value={address}
        onChange={(event) => setAddress(event.target.value)}
      />
      <Examples onAdd={(sentence) => setText(appended(text, sentence))} />
      <Workbench text={text} parsed={parsed} onChange={setText} />
      {run.error && <Notice kind="error">{run.error.message}</Notice>}
      <div className="actions">
        <Button
          look="primary"
          type="submit"
          icon="play"
          disabled={blocked || parsed.steps.length === 0}
          busy={run.isPending && "Queueing the run…"}
        >
          Run the test
        </Button>
        {blocked && <span className="muted small">Change the marked lines to run the test.</span>}
      </div>
    </form>
  );
};

/** Creates the test, queues it, and opens its run. */
const useFirstRun = (address: string, text: string) => {
  const { organization } = useSignedIn();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async () => {
      const test = await createTest({ name: nameFor(address), text });
      rememberBaseUrl(organization?.id ?? "", withScheme(address));
      return queueRun({ testIds: [test.id], baseUrl: address });
    },
    onSuccess: (runId) => void navigate({ to: "/runs/$runId", params: { runId } }),
  });
};

const appended = (text: string, sentence: string): string =>
  text === "" || text.endsWith("\n") ? `${text}${sentence}\n` : `${text}\n${sentence}\n`;

const Examples = ({ onAdd }: { readonly onAdd: (sentence: string) => void }) => (
  <div className="examples">
    <span className="label">Sentences</span>
    {examples.map((sentence) => (
      <button key={sentence} type="button" className="suggestion" onClick={() => onAdd(sentence)}>
        <span className="visually-hidden">Add: </span>
        {sentence}
      </button>
    ))}
  </div>
);
