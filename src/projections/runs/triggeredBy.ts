import type { Kysely } from "kysely";
import type { Principal } from "../../domain/usage/spender.ts";
import type { PersonTables } from "../../stores/identity/persons.ts";

/** The requester of a run; null for an imported run. */
export type Trigger = Omit<Principal, "type"> & { readonly type: Principal["type"] | "import" };

/** Renders the requester for the run history. */
export type TriggeredBy = (actor: Trigger) => string;

/**
 * `api:<key name>`, `schedule:<schedule name>`, `user:<e-mail>`, `import`. Addresses are joined when read because no
 * event contains them; an erased person is shown by id.
 */
export const triggeredBy = async (
  db: Kysely<PersonTables>,
  actors: readonly Trigger[],
): Promise<TriggeredBy> => {
  const userIds = [...new Set(actors.filter(({ type }) => type === "user").map(({ id }) => id))];
  const persons =
    userIds.length === 0
      ? []
      : await db.selectFrom("persons").select(["id", "email"]).where("id", "in", userIds).execute();
  const emails = new Map(persons.map(({ id, email }) => [id, email]));
  return (actor) => {
    switch (actor.type) {
      case "import":
        return "import";
      case "user":
        return `user:${emails.get(actor.id) ?? actor.id}`;
      case "api_key":
        return `api:${actor.name ?? actor.id}`;
      default:
        return `${actor.type}:${actor.name ?? actor.id}`;
    }
  };
};
