import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { assertNever, DomainError } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";
import { mustBeCurrent } from "../kernel/versions.ts";

/** Maximum number of tags of an organisation and of a test. */
export const MAX_TAGS = 1_000;
export const MAX_TAGS_OF_TEST = 50;

// ---------------------------------------------------------------- Events

const schemas = {
  TagCreated: z.object({ tagId: z.uuid(), name: z.string() }),
  TagRenamed: z.object({ tagId: z.uuid(), name: z.string() }),
  /** Also removes the tag from all tests. */
  TagDeleted: z.object({ tagId: z.uuid() }),
  TestTagged: z.object({ tagId: z.uuid(), testId: z.uuid() }),
  TestUntagged: z.object({ tagId: z.uuid(), testId: z.uuid() }),
};

export type TagsEvent = EventOf<typeof schemas>;

// ---------------------------------------------------------------- State

export type Tag = {
  readonly name: string;
  readonly testIds: ReadonlySet<string>;
  /** Counts the events of this tag only. */
  readonly version: number;
};

/** The tags of an organisation and of its tests. */
export type Tags = {
  readonly tags: ReadonlyMap<string, Tag>;
  /** Ids of deleted tags, so that a repeated deletion is recognised. */
  readonly deleted: ReadonlySet<string>;
};

// ---------------------------------------------------------------- evolve

export const evolve = (state: Tags, event: TagsEvent): Tags => {
  const { tagId } = event.data;
  const tag = state.tags.get(tagId);
  switch (event.type) {
    case "TagCreated":
      return withTag(state, tagId, {
        name: event.data.name,
        testIds: new Set(),
        version: 1,
      });
    case "TagRenamed":
      if (!tag) return state;
      return withTag(state, tagId, { ...tag, name: event.data.name, version: tag.version + 1 });
    case "TagDeleted": {
      const tags = new Map(state.tags);
      tags.delete(tagId);
      return { tags, deleted: new Set(state.deleted).add(tagId) };
    }
    case "TestTagged":
      if (!tag) return state;
      return withTag(state, tagId, {
        ...tag,
        testIds: new Set(tag.testIds).add(event.data.testId),
      });
    case "TestUntagged": {
      if (!tag) return state;
      const testIds = new Set(tag.testIds);
      testIds.delete(event.data.testId);
      return withTag(state, tagId, { ...tag, testIds });
    }
    default:
      return assertNever(event);
  }
};

const withTag = (state: Tags, tagId: string, tag: Tag): Tags => ({
  ...state,
  tags: new Map(state.tags).set(tagId, tag),
});

// ---------------------------------------------------------------- Commands

/** Null skips the version check. */
type OnTag = { readonly tagId: string; readonly expectedVersions: readonly number[] | null };

export type TagsCommand =
  | { readonly type: "create"; readonly tagId: string; readonly name: string }
  | ({ readonly type: "rename"; readonly name: string } & OnTag)
  | ({ readonly type: "delete" } & OnTag)
  | { readonly type: "tag"; readonly tagId: string; readonly testId: string }
  | { readonly type: "untag"; readonly tagId: string; readonly testId: string }
  | SetTags;

/** Replaces the tags of a test. `tagId` is the id of the tag if it must be created. */
type SetTags = {
  readonly type: "set";
  readonly testId: string;
  readonly tags: readonly { readonly tagId: string; readonly name: string }[];
};

// ---------------------------------------------------------------- decide

/** Names are unique, ignoring case. */
export const decide = (command: TagsCommand, state: Tags): readonly TagsEvent[] => {
  if (command.type === "set") return setTags(command, state);
  const { tagId } = command;
  switch (command.type) {
    case "create": {
      const { name } = command;
      if (state.tags.has(tagId) || state.deleted.has(tagId)) return [];
      mustBeFree(state, name, tagId);
      if (state.tags.size >= MAX_TAGS) {
        throw new DomainError("tag.tooMany", `An organisation has at most ${MAX_TAGS} tags.`);
      }
      return [{ type: "TagCreated", data: { tagId, name } }];
    }
    case "rename": {
      const { name } = command;
      const tag = find(state, tagId);
      mustBeCurrent("tag.stale", "The tag", tag.version, command.expectedVersions);
      if (tag.name === name) return [];
      mustBeFree(state, name, tagId);
      return [{ type: "TagRenamed", data: { tagId, name } }];
    }
    case "delete":
      if (state.deleted.has(tagId)) return [];
      mustBeCurrent("tag.stale", "The tag", find(state, tagId).version, command.expectedVersions);
      return [{ type: "TagDeleted", data: { tagId } }];
    case "tag": {
      const { testId } = command;
      if (find(state, tagId).testIds.has(testId)) return [];
      const carried = [...state.tags.values()].filter(({ testIds }) => testIds.has(testId));
      if (carried.length >= MAX_TAGS_OF_TEST) {
        throw new DomainError("tag.tooManyOfTest", `A test has at most ${MAX_TAGS_OF_TEST} tags.`);
      }
      return [{ type: "TestTagged", data: { tagId, testId } }];
    }
    case "untag": {
      const { testId } = command;
      if (!find(state, tagId).testIds.has(testId)) return [];
      return [{ type: "TestUntagged", data: { tagId, testId } }];
    }
    default:
      return assertNever(command);
  }
};

const setTags = ({ testId, tags }: SetTags, state: Tags): readonly TagsEvent[] => {
  const byName = new Map([...state.tags].map(([tagId, { name }]) => [name.toLowerCase(), tagId]));
  const created: TagsEvent[] = [];
  const wanted = new Set<string>();
  for (const { tagId, name } of tags) {
    const known = byName.get(name.toLowerCase());
    wanted.add(known ?? tagId);
    if (known !== undefined) continue;
    byName.set(name.toLowerCase(), tagId);
    created.push({ type: "TagCreated", data: { tagId, name } });
  }
  if (state.tags.size + created.length > MAX_TAGS && created.length > 0) {
    throw new DomainError("tag.tooMany", `An organisation has at most ${MAX_TAGS} tags.`);
  }
  if (wanted.size > MAX_TAGS_OF_TEST) {
    throw new DomainError("tag.tooManyOfTest", `A test has at most ${MAX_TAGS_OF_TEST} tags.`);
  }
  const carried = tagsOfTest(state, testId).map(({ id }) => id);
  const dropped = carried.filter((tagId) => !wanted.has(tagId));
  const added = [...wanted].filter((tagId) => !carried.includes(tagId));
  return [
    ...created,
    ...dropped.map((tagId): TagsEvent => ({ type: "TestUntagged", data: { tagId, testId } })),
    ...added.map((tagId): TagsEvent => ({ type: "TestTagged", data: { tagId, testId } })),
  ];
};

/** The tags of a test, ordered by name. */
export const tagsOfTest = (state: Tags, testId: string): { id: string; name: string }[] =>
  [...state.tags]
    .filter(([, { testIds }]) => testIds.has(testId))
    .map(([id, { name }]) => ({ id, name }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

const find = (state: Tags, tagId: string): Tag => {
  const tag = state.tags.get(tagId);
  if (!tag) throw new DomainError("tag.unknown", `There is no tag ${tagId}.`);
  return tag;
};

const mustBeFree = (state: Tags, name: string, tagId: string): void => {
  const wanted = name.toLowerCase();
  for (const [id, tag] of state.tags) {
    if (id !== tagId && tag.name.toLowerCase() === wanted) {
      throw new DomainError("tag.nameTaken", "A tag of this name exists. Choose another name.");
    }
  }
};

export const tagsDecider: Decider<Tags, TagsCommand, TagsEvent> = {
  category: "tags",
  initial: { tags: new Map(), deleted: new Set() },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
