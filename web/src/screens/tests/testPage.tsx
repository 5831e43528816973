import "../runs/runs.css";
import "./tests.css";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { testQuery } from "../../service/tests.ts";
import { useMay } from "../../service/usePermissions.ts";
import { Page } from "../../shell/pages.tsx";
import { Empty, Failure, Loading } from "../../ui/states.tsx";
import { Foreign } from "../foreign.tsx";
import { TestEditor } from "./testEditor.tsx";

const crumbs = [{ to: "/tests", label: "Tests" }];

/** A test: its text and steps, to read, change and run. */
export const TestPage = () => {
  const { testId = "" } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(testQuery(testId));
  if (error && !data) {
    return (
      <Page title="Test" crumbs={crumbs}>
        <Foreign error={error}>
          <Failure
            title="The test could not be loaded"
            detail={error.message}
            onRetry={() => void refetch()}
          />
        </Foreign>
      </Page>
    );
  }
  if (!data) {
    return (
      <Page title="Test" crumbs={crumbs}>
        <Loading label="Loading the test" />
      </Page>
    );
  }
  return <TestEditor key={data.id} test={data} />;
};

export const NewTest = () => {
  const mayWrite = useMay("catalogue:write");
  if (mayWrite) return <TestEditor test={null} />;
  return (
    <Page title="New test" crumbs={crumbs}>
      <Empty icon="tests" title="Your role may not write tests">
        <p>Ask an administrator of the organisation for the role editor.</p>
      </Empty>
    </Page>
  );
};
