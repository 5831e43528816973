import type { Kysely } from "kysely";
import { CONTENT_VERSION, type RunContentEvent } from "../../domain/runs/content.ts";
import type { Recorded } from "../kernel/projection.ts";
import type { CatalogueTables } from "./tables.ts";

/** Stores the file content of a run as the only version of its id. */
export const keepRunContent = async (
  db: Kysely<CatalogueTables>,
  { metadata }: Pick<Recorded<RunContentEvent>, "metadata">,
  data: RunContentEvent["data"],
): Promise<void> => {
  const { contentId, organizationId, name, language, platform, text, steps } = data;
  await db
    .insertInto("test_versions")
    .values({
      test_id: contentId,
      version: CONTENT_VERSION,
      organization_id: organizationId,
      ...{ name, language, platform, text, step_count: steps.length },
      steps: JSON.stringify(steps),
      data: JSON.stringify(data.data),
      created_at: metadata.occurred_at,
    })
    .execute();
};
