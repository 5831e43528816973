import { type TagsEvent, tagsDecider } from "../../domain/catalogue/tags.ts";
import { defineProjection } from "../kernel/projection.ts";
import { insertRows } from "../kernel/rows.ts";

export type TagTables = {
  tags: {
    id: string;
    organization_id: string;
    name: string;
    created_at: string;
    updated_at: string;
    version: number;
  };
  test_tags: { tag_id: string; test_id: string };
};

export const tagsProjection = defineProjection<TagTables, TagsEvent>({
  name: "tags",
  version: 1,
  tables: ["tags", "test_tags"],
  create: async (db) => {
    await db.schema
      .createTable("tags")
      .addColumn("id", "uuid", (c) => c.primaryKey())
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("created_at", "timestamptz", (c) => c.notNull())
      .addColumn("updated_at", "timestamptz", (c) => c.notNull())
      .addColumn("version", "integer", (c) => c.notNull())
      .execute();
    await db.schema
      .createTable("test_tags")
      .addColumn("tag_id", "uuid", (c) => c.notNull())
      .addColumn("test_id", "uuid", (c) => c.notNull())
      .addPrimaryKeyConstraint("test_tags_pkey", ["tag_id", "test_id"])
      .execute();
    await db.schema
      .createIndex("tags_by_organization")
      .on("tags")
      .columns(["organization_id", "id"])
      .execute();
    await db.schema.createIndex("test_tags_by_test").on("test_tags").column("test_id").execute();
  },
  codecs: [tagsDecider.codec],
  on: {
    TagCreated: async (db, { data, stream, metadata }) => {
      await db
        .insertInto("tags")
        .values({
          id: data.tagId,
          organization_id: stream.slice(`${tagsDecider.category}-`.length),
          name: data.name,
          created_at: metadata.occurred_at,
          updated_at: metadata.occurred_at,
          version: 1,
        })
        .execute();
    },
    TagRenamed: async (db, { data, metadata }) => {
      await db
        .updateTable("tags")
        .set((eb) => ({
          name: data.name,
          updated_at: metadata.occurred_at,
          version: eb("version", "+", 1),
        }))
        .where("id", "=", data.tagId)
        .execute();
    },
    TagDeleted: async (db, { data }) => {
      await db.deleteFrom("test_tags").where("tag_id", "=", data.tagId).execute();
      await db.deleteFrom("tags").where("id", "=", data.tagId).execute();
    },
    TestUntagged: async (db, { data }) => {
      await db
        .deleteFrom("test_tags")
        .where("tag_id", "=", data.tagId)
        .where("test_id", "=", data.testId)
        .execute();
    },
  },
  together: {
    // An import tags thousands of tests.
    TestTagged: (into, events) => {
      const rows = events.map(({ data }) => ({ tag_id: data.tagId, test_id: data.testId }));
      return insertRows(into, "test_tags", rows, "refuse");
    },
  },
});
