/** The tables of the projector. */
export type KernelTables = {
  projection_checkpoints: {
    name: string;
    version: number;
    build: number;
    /** shown: queries read it; building: it will replace the shown one; retired: to be dropped. */
    state: "shown" | "building" | "retired";
    position: bigint | null;
    advanced_at: string;
  };
  parked_events: {
    id: string;
    /** `name@version` of a shown build, `name@version+build` of others; `reactor:name` of reactors. */
    consumer: string;
    position: bigint;
    event_id: string;
    type: string;
    error: string;
    stream: string | null;
    revision: bigint | null;
    parked_at: string;
    retry_asked_at: string | null;
    skipped_at: string | null;
    skip_reason: string | null;
  };
  projection_verifications: {
    id: string;
    name: string;
    version: number;
    asked_at: string;
    finished_at: string | null;
    result: unknown;
  };
  leaderships: { name: string; holder: string; expires_at: string };
};
