import { z } from "zod";
import { toJUnit } from "../../../domain/runs/junit.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { binary, id } from "../../schemas.ts";
import { owned } from "../kernel/ownership.ts";

const readJUnit = defineOperation({
  id: "readRunJUnit",
  method: "GET",
  path: "/reports/runs/{run_id}/junit",
  tag: "Reports",
  summary: "Read a run as a JUnit XML report, with retries in the format of Maven Surefire",
  auth: "download",
  permission: "results:read",
  params: z.object({ run_id: id }),
  responses: { 200: binary("application/xml", "The report") },
  handler: async ({ params, principal, services }) => {
    const run = owned(await services.runs.queries.findRun(params.run_id), principal, "run");
    return {
      status: 200,
      body: Buffer.from(toJUnit([run])),
      headers: {
        "content-type": "application/xml; charset=utf-8",
        "content-disposition": `attachment; filename="run-${run.id}.xml"`,
      },
    };
  },
});

/** Run reports for other tools. */
export const junitOperations: readonly Operation[] = [readJUnit];
