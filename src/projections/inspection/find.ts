import type { Kysely } from "kysely";
import { kinds, partsOf } from "../../domain/inspection/deciders.ts";
import type { PersonsState } from "../../stores/identity/persons.ts";
import type { EventIndex, IndexedStream } from "../../stores/inspection/eventIndex.ts";
import type { OrganizationTables } from "../organizations/projection.ts";
import type { ExecutionTables } from "../runs/executions/tables.ts";
import type { RunTables } from "../runs/runs.ts";

type Tables = OrganizationTables & RunTables & ExecutionTables;

/** What somebody looks for, as it was recognised. */
export type Sought = "email" | "id" | "key_prefix" | "name";

/** A stream that what was looked for touches. */
export type Found = IndexedStream & {
  readonly kind: string;
  /** Why it is among what was found: "the run", "the execution of a test". */
  readonly what: string;
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const KEY = "ak_live_";
/** Of a key no more than its beginning is looked for, however much of it was given. */
const KEY_PREFIX_LENGTH = KEY.length + 4;
/** Of a request with thousands of events these tell which streams it touched. */
const MAX_EVENTS = 1_000;
const MAX_RELATED = 200;

/** Names of streams with why they are among what was found; the first reason for a stream stays. */
type Candidates = Map<string, string>;

/** Finds streams by what support has of them. Every step is a look-up in an index. */
export const createFind = (deps: {
  readonly db: Kysely<Tables>;
  readonly index: EventIndex;
  readonly persons: Pick<PersonsState, "findByAddress">;
}) => {
  const { db, index, persons } = deps;

  const addAliases = async (candidates: Candidates, alias: string): Promise<void> => {
    for (const { stream, what } of await index.findAliases(alias)) add(candidates, stream, what);
  };

  /** What belongs to a person: the account, and where they are members. */
  const addPerson = async (candidates: Candidates, userId: string): Promise<void> => {
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

  /** What goes with a run, or with the execution of a test. */
  const addRun = async (candidates: Candidates, id: string): Promise<void> => {
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

  const addId = async (candidates: Candidates, id: string): Promise<void> => {
    for (const [kind, { what }] of kinds) add(candidates, `${kind}-${id}`, what);
    const [event, ofRequest] = await Promise.all([
      index.findEvent(id),
      index.streamsOfRequest(id, MAX_EVENTS),
      addAliases(candidates, id),
      addRun(candidates, id),
      addPerson(candidates, id),
    ]);
    if (event) add(candidates, event.stream, "where the event stands");
    for (const stream of ofRequest.slice(0, MAX_RELATED)) {
      add(candidates, stream, "what the request came to");
    }
  };

  return async (
    text: string,
  ): Promise<{ readonly sought: Sought; readonly found: readonly Found[] }> => {
    const candidates: Candidates = new Map();
    const sought = soughtBy(text);
    switch (sought) {
      case "email": {
        const person = await persons.findByAddress(text);
        if (person) await addPerson(candidates, person.id);
        break;
      }
      case "id":
        await addId(candidates, text.toLowerCase());
        break;
      case "key_prefix":
        await addAliases(candidates, text.slice(0, KEY_PREFIX_LENGTH));
        break;
      case "name":
        for (const provider of ["provider-a", "provider-b"]) {
          add(candidates, `webhook-${provider}_${text}`, "the provider's event");
        }
        add(candidates, text, "the stream");
        await addAliases(candidates, text);
    }
    const streams = await index.findStreams([...candidates.keys()]);
    const order = [...candidates.keys()];
    const found = streams
      .map((one) => ({
        ...one,
        kind: partsOf(one.stream).kind,
        what: candidates.get(one.stream) ?? "",
      }))
      .sort((one, other) => order.indexOf(one.stream) - order.indexOf(other.stream));
    return { sought, found };
  };
};

const add = (candidates: Candidates, stream: string, what: string): void => {
  if (!candidates.has(stream)) candidates.set(stream, what);
};

const soughtBy = (text: string): Sought => {
  if (UUID.test(text)) return "id";
  if (text.startsWith(KEY)) return "key_prefix";
  return text.includes("@") ? "email" : "name";
};
