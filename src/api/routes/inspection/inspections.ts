import type { CommandContext } from "../../../commands/kernel/commandLoop.ts";
import { partsOf } from "../../../domain/inspection/deciders.ts";
import { StreamDeletedError } from "../../../platform/eventLog/errors.ts";
import type { Moment } from "../../../projections/inspection/streams.ts";
import { ApiError } from "../../apiError.ts";
import type { Services } from "../../services.ts";
import { toEventSummary, toStoredEvent, toStreamSummary } from "./shapes.ts";

// Operators' views, for REST and GraphQL. The caller has checked the permission. Each view is recorded before its
// result is returned.

type With = Pick<Services, "inspector">;

/** Streams found by a text. */
export const findStreams = async ({ inspector }: With, context: CommandContext, text: string) => {
  const { sought, found } = await inspector.queries.find(text);
  await inspector.commands.noteLook(context, {
    at: "find",
    subjects: found.map(({ stream }) => stream),
  });
  return { sought, items: found.map((one) => ({ ...toStreamSummary(one), what: one.what })) };
};

/** Streams by name prefix. */
export const listStreams = async (
  { inspector }: With,
  context: CommandContext,
  page: { readonly prefix: string; readonly limit: number; readonly cursor?: string | undefined },
) => {
  const { prefix, limit, cursor: after = null } = page;
  const rows = await inspector.queries.listStreams({ prefix, limit, after });
  await inspector.commands.noteLook(context, { at: "list_streams", subjects: [`${prefix}*`] });
  const shown = rows.slice(0, limit);
  const next_cursor = rows.length > limit ? (shown.at(-1)?.stream ?? null) : null;
  return { items: shown.map(toStreamSummary), next_cursor };
};

/** A page of a stream's events. */
export const readStream = async (
  { inspector }: With,
  context: CommandContext,
  page: {
    readonly stream: string;
    readonly direction: "forwards" | "backwards";
    readonly from?: number | undefined;
    readonly limit: number;
  },
) => {
  const { stream, direction, from = null, limit } = page;
  const events = await there(inspector.queries.readPage(stream, { direction, from, limit }));
  // An empty page past the end of an existing stream is not an error.
  if (events.length === 0 && (await isMissing(inspector, stream))) throw noStream();
  await inspector.commands.noteLook(context, { at: "read_stream", subjects: [stream] });
  const next = events[limit];
  return {
    stream,
    kind: partsOf(stream).kind,
    items: events.slice(0, limit).map(toStoredEvent),
    next_from: next?.revision ?? null,
  };
};

/** An event with its causes and effects. */
export const readEvent = async ({ inspector }: With, context: CommandContext, eventId: string) => {
  const tree = await inspector.queries.treeOf(eventId);
  const stored =
    tree && (await there(inspector.queries.readAt(tree.event.stream, tree.event.revision)));
  if (!tree || !stored) throw new ApiError(404, "There is no event of this id.");
  await inspector.commands.noteLook(context, {
    at: "read_event",
    subjects: [eventId, tree.event.stream],
  });
  return {
    event: toStoredEvent(stored),
    causes: tree.causes.map(toEventSummary),
    effects: tree.effects.map((one) => ({ ...toEventSummary(one), depth: one.depth })),
    is_cut: tree.isCut,
  };
};

/** The differences of a stream's state between two moments. */
export const diffStream = async (
  { inspector }: With,
  context: CommandContext,
  asked: { readonly stream: string; readonly from: Moment | null; readonly to: Moment | null },
) => {
  const { stream, from, to } = asked;
  const diff = await there(inspector.queries.diff(stream, from, to));
  if (diff === null) throw noStream();
  if (diff === "too_long") throw tooLong();
  await inspector.commands.noteLook(context, { at: "diff_stream", subjects: [stream] });
  return { stream, kind: partsOf(stream).kind, ...diff };
};

/** The rows of read models, compared with a stream. */
export const compareReadModels = async (
  { inspector }: With,
  context: CommandContext,
  stream: string,
) => {
  if (await there(isMissing(inspector, stream))) throw noStream();
  const read = await inspector.queries.beside(stream);
  if (read === "too_long") throw tooLong();
  await inspector.commands.noteLook(context, { at: "compare_stream", subjects: [stream] });
  const read_models = read.map((one) => ({
    ...one,
    rows: one.rows.map((row) => ({
      ...row,
      differing: row.differing.map(({ field, before, after }) => ({
        field,
        stream: before,
        read_model: after,
      })),
    })),
  }));
  return { stream, kind: partsOf(stream).kind, read_models };
};

/** A person's identity. The view and its reason are recorded first. */
export const revealPerson = async (
  { inspector }: With,
  context: CommandContext,
  personId: string,
  reason: string,
) => {
  const person = await inspector.findPerson(personId);
  if (!person) throw new ApiError(404, "There is no person of this id, or they were erased.");
  const receipt = await inspector.commands.noteReveal(context, { personId, reason });
  const { id, email, name, emailVerified } = person;
  return { person: { id, email, name, email_verified: emailVerified }, receipt };
};

const isMissing = async ({ queries }: With["inspector"], stream: string): Promise<boolean> => {
  const end = { direction: "backwards", from: null, limit: 0 } as const;
  return (await queries.readPage(stream, end)).length === 0;
};

/** Runs a read of a stream. Throws ApiError 404 if the stream was deleted. */
const there = async <T>(reading: Promise<T>): Promise<T> => {
  try {
    return await reading;
  } catch (error) {
    throw error instanceof StreamDeletedError ? noStream() : error;
  }
};

const noStream = (): ApiError => new ApiError(404, "There is no stream of this name.");

const tooLong = (): ApiError =>
  new ApiError(409, "The stream is too long for this: read its events, or verify the read model.");
