import { describe, it } from "vitest";
import {
  MAX_TAGS_OF_TEST,
  type TagsEvent,
  tagsDecider,
} from "../../../../src/domain/catalogue/tags.ts";
import { scenario } from "../../../support/scenario.ts";

const uuid = (n: number): string => `019a0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const [tagId, other, testId] = [uuid(1), uuid(2), uuid(3)];
const created: TagsEvent = { type: "TagCreated", data: { tagId, name: "smoke" } };
const tags = scenario(tagsDecider);

describe("tags", () => {
  it("refuse a duplicate name, ignoring case", () => {
    tags.given([]).when({ type: "create", tagId, name: "smoke" }).then([created]);
    tags.given([created]).when({ type: "create", tagId, name: "smoke" }).thenNothing();
    tags
      .given([created])
      .when({ type: "create", tagId: other, name: "Smoke" })
      .thenRefused("tag.nameTaken");
    const second: TagsEvent = { type: "TagCreated", data: { tagId: other, name: "slow" } };
    tags
      .given([created, second])
      .when({ type: "rename", tagId: other, name: "SMOKE", expectedVersions: null })
      .thenRefused("tag.nameTaken");
    // One's own name in another case is free.
    tags
      .given([created])
      .when({ type: "rename", tagId, name: "Smoke", expectedVersions: null })
      .then([{ type: "TagRenamed", data: { tagId, name: "Smoke" } }]);
  });

  it("are put on and taken off a test once", () => {
    const tagged: TagsEvent = { type: "TestTagged", data: { tagId, testId } };
    const untagged: TagsEvent = { type: "TestUntagged", data: { tagId, testId } };
    tags.given([created]).when({ type: "tag", tagId, testId }).then([tagged]);
    tags.given([created, tagged]).when({ type: "tag", tagId, testId }).thenNothing();
    tags.given([created, tagged]).when({ type: "untag", tagId, testId }).then([untagged]);
    tags.given([created]).when({ type: "untag", tagId, testId }).thenNothing();
    tags.given([]).when({ type: "tag", tagId, testId }).thenRefused("tag.unknown");
  });

  it("are deleted once, which frees their name", () => {
    const deleted: TagsEvent = { type: "TagDeleted", data: { tagId } };
    tags.given([created]).when({ type: "delete", tagId, expectedVersions: null }).then([deleted]);
    tags
      .given([created, deleted])
      .when({ type: "delete", tagId, expectedVersions: null })
      .thenNothing();
    tags
      .given([created, deleted])
      .when({ type: "create", tagId: other, name: "smoke" })
      .then([{ type: "TagCreated", data: { tagId: other, name: "smoke" } }]);
  });

  it("refuse more tags on a test than the limit", () => {
    const history = Array.from({ length: MAX_TAGS_OF_TEST + 1 }, (_, n): TagsEvent[] => [
      { type: "TagCreated", data: { tagId: uuid(100 + n), name: `tag ${n}` } },
      ...(n < MAX_TAGS_OF_TEST
        ? [{ type: "TestTagged" as const, data: { tagId: uuid(100 + n), testId } }]
        : []),
    ]).flat();
    tags
      .given(history)
      .when({ type: "tag", tagId: uuid(100 + MAX_TAGS_OF_TEST), testId })
      .thenRefused("tag.tooManyOfTest");
  });

  it("replace the tags of a test, creating new ones, once", () => {
    const slow: TagsEvent = { type: "TagCreated", data: { tagId: other, name: "slow" } };
    const set = { type: "set", testId, tags: [{ tagId: uuid(9), name: "SMOKE" }] } as const;
    const tagged = (id: string): TagsEvent => ({ type: "TestTagged", data: { tagId: id, testId } });
    const untagged: TagsEvent = { type: "TestUntagged", data: { tagId: other, testId } };
    tags
      .given([created, slow, tagged(other)])
      .when(set)
      .then([untagged, tagged(tagId)]);
    tags
      .given([created, tagged(tagId)])
      .when(set)
      .thenNothing();
    const fresh: TagsEvent = { type: "TagCreated", data: { tagId: uuid(9), name: "SMOKE" } };
    tags
      .given([])
      .when(set)
      .then([fresh, tagged(uuid(9))]);
    tags
      .given([fresh, tagged(uuid(9))])
      .when(set)
      .thenNothing();
    const many = Array.from({ length: MAX_TAGS_OF_TEST + 1 }, (_, n) => ({
      tagId: uuid(100 + n),
      name: `tag ${n}`,
    }));
    tags
      .given([])
      .when({ ...set, tags: many })
      .thenRefused("tag.tooManyOfTest");
  });

  it("refuse a change that is based on an older version", () => {
    const renamed: TagsEvent = { type: "TagRenamed", data: { tagId, name: "fast" } };
    const stale = { type: "rename", tagId, name: "quick", expectedVersions: [1] } as const;
    tags.given([created, renamed]).when(stale).thenRefused("tag.stale");
    tags
      .given([created, renamed])
      .when({ ...stale, expectedVersions: [2] })
      .then([{ type: "TagRenamed", data: { tagId, name: "quick" } }]);
    tags
      .given([created, renamed])
      .when({ type: "delete", tagId, expectedVersions: [1] })
      .thenRefused("tag.stale");
  });
});
