import type { Kysely } from "kysely";
import { providerNames } from "../../domain/billing/subscription.ts";
import { kinds, partsOf } from "../../domain/inspection/deciders.ts";
import { assertNever } from "../../domain/kernel/errors.ts";
import type { PersonsState } from "../../stores/identity/persons.ts";
import type { EventIndex, IndexedStream } from "../../stores/inspection/eventIndex.ts";
import type { OrganizationTables } from "../organizations/projection.ts";
import type { ExecutionTables } from "../runs/executions/tables.ts";
import type { RunTables } from "../runs/runs.ts";

type Tables = OrganizationTables & RunTables & ExecutionTables;

/** The recognised kind of a search text. */
export type Sought = "email" | "id" | "key_prefix" | "name";

/** A stream found by a search. */
export type Found = IndexedStream & {
  readonly kind: string;
  /** Why it was found: "the run", "the execution of a test". */
  readonly what: string;
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const KEY = "ak_live_";
/** Only the prefix of a key is searched for, even if the whole key was given. */
const KEY_PREFIX_LENGTH = KEY.length + 4;
/** Events of a request to search for the streams that it wrote to. */
const MAX_EVENTS = 1_000;
const MAX_RELATED = 200;

/** Stream names, each with the first reason why it was found. */
type Candidates = Map<string, string>;

type FindDeps = {
  readonly db: Kysely<Tables>;
  readonly index: EventIndex;
  readonly persons: Pick<PersonsState, "findByAddress">;
};

/** Finds streams by an e-mail address, an id, an API key's prefix or a name. Every step is an index lookup. */
export const createFind =
  (deps: FindDeps) =>
  async (text: string): Promise<{ readonly sought: Sought; readonly found: readonly Found[] }> => {
    const sought = soughtBy(text);
    const candidates = await candidatesOf(deps, sought, text);
    const order = [...candidates.keys()];
    const streams = await deps.index.findStreams(order);
    const found = streams
      .map((one) => ({
        ...one,
        kind: partsOf(one.stream).kind,
        what: candidates.get(one.stream) ?? "",
      }))
      .sort((one, other) => order.indexOf(one.stream) - order.indexOf(other.stream));
    return { sought, found };
  };

const soughtBy = (text: string): Sought => {
  if (UUID.test(text)) return "id";
  if (text.startsWith(KEY)) return "key_prefix";
  return text.includes("@") ? "email" : "name";
};

const candidatesOf = async (deps: FindDeps, sought: Sought, text: string): Promise<Candidates> => {
  const candidates: Candidates = new Map();
  switch (sought) {
    case "email": {
      const person = await deps.persons.findByAddress(text);
      if (person) await addPerson(deps, candidates, person.id);
      return candidates;
    }
    case "id":
      await addId(deps, candidates, text.toLowerCase());
      return candidates;
    case "key_prefix":
      await addAliases(deps, candidates, text.slice(0, KEY_PREFIX_LENGTH));
      return candidates;
    case "name":
      for (const provider of providerNames) {
        add(candidates, `webhook-${provider}_${text}`, "the provider's event");
      }
      add(candidates, text, "the stream");
      await addAliases(deps, candidates, text);
      return candidates;
    default:
      return assertNever(sought);
  }
};

const addAliases = async (
  { index }: FindDeps,
  candidates: Candidates,
  alias: string,
): Promise<void> => {
  for (const { stream, what } of await index.findAliases(alias)) add(candidates, stream, what);
};

/** Adds a person's account and organisations. */
const addPerson = async (
  { db }: FindDeps,
  candidates: Candidates,
  userId: string,
): Promise<void> => {
  add(candidates, `user-${userId}`, "the person's account");
  const rows = await db
    .selectFrom("members")
    .select("organization_id")
    .where("user_id", "=", userId)
    .limit(MAX_RELATED)
    .execute();
  for (const { organization_id } of rows) {
    add(candidates, `organization-${organization_id}`, "an organisation of the person");
    add(candidates, `plan-${organization_id}`, "the plan of an organisation of the person");
  }
};

/** Adds the streams of a run, or of an execution. */
const addRun = async ({ db }: FindDeps, candidates: Candidates, id: string): Promise<void> => {
  const rows = await db
    .selectFrom("executions")
    .select(["id", "run_id", "test_id", "organization_id"])
    .where((where) => where.or([where("id", "=", id), where("run_id", "=", id)]))
    .limit(MAX_RELATED)
    .execute();
  for (const row of rows) {
    add(candidates, `run-${row.run_id}`, "the run of it");
    add(candidates, `execution-${row.id}`, "the execution of a test in it");
    add(candidates, `test-${row.test_id}`, "a test that it ran");
    add(candidates, `organization-${row.organization_id}`, "the organisation whose run it is");
  }
};

const addId = async (deps: FindDeps, candidates: Candidates, id: string): Promise<void> => {
  const { index } = deps;
  for (const [kind, { what }] of kinds) add(candidates, `${kind}-${id}`, what);
  const [event, ofRequest] = await Promise.all([
    index.findEvent(id),
    index.streamsOfRequest(id, MAX_EVENTS),
    addAliases(deps, candidates, id),
    addRun(deps, candidates, id),
    addPerson(deps, candidates, id),
  ]);
  if (event) add(candidates, event.stream, "the stream of the event");
  for (const stream of ofRequest.slice(0, MAX_RELATED)) {
    add(candidates, stream, "the result of the request");
  }
};

const add = (candidates: Candidates, stream: string, what: string): void => {
  if (!candidates.has(stream)) candidates.set(stream, what);
};
