import "../runs/runs.css";
import "./pictures.css";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { picturesQuery } from "../../service/pictures.ts";
import { runQuery } from "../../service/runs.ts";
import { Page } from "../../shell/pages.tsx";
import { Empty, Failure, Loading } from "../../ui/states.tsx";
import { Foreign } from "../foreign.tsx";
import { PictureReview } from "./pictureReview.tsx";
import { RunDecision } from "./runDecision.tsx";

/** The pictures of a run that have no baseline or differ from it: look at each, then approve or reject it. */
export const PicturesPage = () => {
  const { runId = "" } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(picturesQuery(runId));
  const { data: run } = useQuery(runQuery(runId));
  const names = new Map(run?.tests.map(({ test_id, name }) => [test_id, name]));
  const crumbs = [
    { to: "/runs", label: "Runs" },
    { to: `/runs/${runId}`, label: "Run" },
  ];
  const open = data?.items.filter(({ review }) => review === "open").length ?? 0;
  return (
    <Page
      title="Picture review"
      crumbs={crumbs}
      actions={open > 0 && <RunDecision runId={runId} open={open} />}
    >
      {data ? (
        data.items.length === 0 ? (
          <Empty icon="picture" title="There is nothing to review">
            <p>Every picture of this run equals its baseline, or the run takes none.</p>
            <Link className="button plain" to="/runs/$runId" params={{ runId }}>
              Back to the run
            </Link>
          </Empty>
        ) : (
          <PictureReview runId={runId} pictures={data.items} names={names} />
        )
      ) : error ? (
        <Foreign error={error}>
          <Failure
            title="The pictures could not be loaded"
            detail={error.message}
            onRetry={() => void refetch()}
          />
        </Foreign>
      ) : (
        <Loading label="Loading the pictures" />
      )}
    </Page>
  );
};
