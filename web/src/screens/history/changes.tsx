import { Link } from "@tanstack/react-router";
import type { Changes } from "../../service/testReports.ts";
import { Ago } from "../../ui/time.tsx";

/** The differences between the last passed execution and the latest one: the possible causes of a failure. */
export const ChangesSince = ({ changes }: { readonly changes: Changes }) => {
  const { since } = changes;
  const lines = linesOf(changes);
  return (
    <section className="stack" aria-labelledby="changes">
      <h2 id="changes">Changes since it last passed</h2>
      <p className="muted">
        It last passed <Ago at={since.finished_at} />:{" "}
        <Link to="/executions/$executionId" params={{ executionId: since.execution_id }}>
          open that execution
        </Link>
      </p>
      {lines.length === 0 ? (
        <p className="muted">Neither the test nor its environment changed: look at the site.</p>
      ) : (
        <ul className="card plain-list">
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </section>
  );
};

const baselineActs = {
  approved: "approved a baseline",
  removed: "removed a baseline",
  settings_changed: "changed the settings of the baselines",
} as const satisfies Record<Changes["baselines"][number]["kind"], string>;

const day = (at: string): string => new Date(at).toLocaleString("en");

const linesOf = (changes: Changes): readonly string[] => {
  const { versions, called, environment, browsers, baselines } = changes;
  return [
    ...versions.map(({ version, by, at }) => `${by} made version ${version}, ${day(at)}`),
    ...called.map(
      ({ name, from, to }) => `The called test ${name}: version ${from ?? "–"}, now ${to ?? "–"}`,
    ),
    ...(environment
      ? [`The environment: ${environment.from ?? "none"}, now ${environment.to ?? "none"}`]
      : []),
    ...browsers.map(
      ({ browser, from, to }) => `The version of ${browser}: ${from ?? "–"}, now ${to ?? "–"}`,
    ),
    ...baselines.map(({ kind, by, at }) => `${by} ${baselineActs[kind]}, ${day(at)}`),
  ];
};
