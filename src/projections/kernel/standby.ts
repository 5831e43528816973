import { type Kysely, sql } from "kysely";
import { LEASE_SECONDS } from "../../platform/leases.ts";
import type { Projection } from "./projection.ts";
import type { KernelTables } from "./tables.ts";

const PREFIX = "projector-knows ";

export type Standby = {
  /** Announces that this process can fold its versions. Repeat it within the duration of a lease. */
  announce(): Promise<void>;
  /** Whether another announced process knows more of the shown builds. */
  hasBetterCandidate(): Promise<boolean>;
};

/**
 * During a rolling upgrade, processes know different versions of projections and can fold only those. The process that
 * knows most of the shown builds should lead.
 */
export const createStandby = (deps: {
  readonly db: Kysely<KernelTables>;
  readonly projections: readonly Projection[];
  readonly holder: string;
}): Standby => {
  const { db, projections, holder } = deps;
  const known = projections.map(({ name, version }) => `${name}@${version}`).sort();

  return {
    announce: async () => {
      await sql`
        with gone as (
          delete from leaderships
          where starts_with(name, ${PREFIX}) and expires_at < now() - interval '1 minute')
        insert into leaderships (name, holder, expires_at)
        values (${PREFIX + known.join(" ")}, ${holder}, now() + make_interval(secs => ${LEASE_SECONDS}))
        on conflict (name) do update
        set holder = excluded.holder, expires_at = excluded.expires_at`.execute(db);
    },

    hasBetterCandidate: async () => {
      const { rows } = await sql<{ ready: readonly string[]; shown: readonly string[] }>`
        select
          array(select name from leaderships
            where starts_with(name, ${PREFIX}) and expires_at > now()) as ready,
          array(select name || '@' || version from projection_checkpoints
            where state = 'shown') as shown`.execute(db);
      const { ready = [], shown = [] } = rows[0] ?? {};
      const ofShown = (keys: readonly string[]): number =>
        shown.filter((key) => keys.includes(key)).length;
      const mine = ofShown(known);
      return ready.some((name) => ofShown(name.slice(PREFIX.length).split(" ")) > mine);
    },
  };
};
