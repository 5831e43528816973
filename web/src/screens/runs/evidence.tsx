import { useQuery } from "@tanstack/react-query";
import { artifactsQuery } from "../../service/runs.ts";

const size = (bytes: number): string =>
  bytes < 1_000_000
    ? `${Math.max(1, Math.round(bytes / 1_000))} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`;

/** The recorded files of an execution and its exports. */
export const Evidence = ({ executionId }: { readonly executionId: string }) => {
  const { data } = useQuery(artifactsQuery(executionId));
  const base = `/api/v1/tests/${executionId}`;
  return (
    <section className="evidence" aria-label="Files">
      <h2>Files</h2>
      <ul className="chips">
        {data?.items
          .filter(({ url }) => url !== null)
          .map(({ name, url, bytes, attempt, browser }) => (
            <li key={url}>
              <a className="chip" href={url ?? ""} download>
                {name}
                <span className="faint">
                  {browser}, attempt {attempt}, {size(bytes)}
                </span>
              </a>
            </li>
          ))}
        <li>
          <a className="chip" href={`${base}/export/python`} download>
            Playwright script
          </a>
        </li>
        <li>
          <a className="chip" href={`${base}/yaml`} download>
            Steps as YAML
          </a>
        </li>
      </ul>
    </section>
  );
};
