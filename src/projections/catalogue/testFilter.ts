import { type Kysely, sql } from "kysely";
import { type Period, within } from "../kernel/newestFirst.ts";
import type { AllTables } from "./rows.ts";

export type TestFilter = {
  readonly projectId?: string | undefined;
  readonly folderId?: string | undefined;
  /** Name of a tag, ignoring case, or its id. */
  readonly tag?: string | undefined;
  /** The tests of this test set. */
  readonly testSetId?: string | undefined;
  /** Words to find in name, text and steps. */
  readonly q?: string | undefined;
} & Period;

const ID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Whether a text is a UUID rather than a name. */
export const isId = (text: string): boolean => ID.test(text);

/** Selects the tests of an organisation that are not deleted and match the filter. Ignores `q`. */
export const matchingTests = (
  db: Kysely<AllTables>,
  organizationId: string,
  filter: TestFilter,
) => {
  const { projectId, folderId, tag, testSetId } = filter;
  return within(db.selectFrom("tests"), "tests.created_at", filter)
    .where("tests.organization_id", "=", organizationId)
    .where("tests.deleted_at", "is", null)
    .$if(projectId !== undefined, (q) => q.where("tests.project_id", "=", projectId ?? ""))
    .$if(folderId !== undefined, (q) => q.where("tests.folder_id", "=", folderId ?? ""))
    .$if(tag !== undefined, (q) =>
      q.where((eb) =>
        eb.exists(
          eb
            .selectFrom("test_tags")
            .select("test_tags.tag_id")
            .whereRef("test_tags.test_id", "=", "tests.id")
            .where("test_tags.tag_id", "=", tagNamed(db, organizationId, tag ?? "")),
        ),
      ),
    )
    .$if(testSetId !== undefined, (q) =>
      q.where(sql<boolean>`tests.id in (
        select jsonb_array_elements_text(test_ids)::uuid from test_sets where id = ${testSetId})`),
    );
};

/** Selects the id of a tag by name, ignoring case, or by id. */
export const tagNamed = (db: Kysely<AllTables>, organizationId: string, tag: string) =>
  db
    .selectFrom("tags")
    .select("tags.id")
    .where("tags.organization_id", "=", organizationId)
    .where((eb) =>
      isId(tag)
        ? eb("tags.id", "=", tag)
        : eb(eb.fn<string>("lower", ["tags.name"]), "=", tag.toLowerCase()),
    )
    .limit(1);
