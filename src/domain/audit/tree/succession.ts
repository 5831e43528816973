import type { Checkpoint } from "./checkpoint.ts";
import { isConsistent, type Sha256 } from "./merkle.ts";

/** How a newer checkpoint relates to an older one. */
export type Succession =
  /** The newer tree extends the older one: no event that it covered was changed or removed. */
  | { readonly outcome: "consistent" }
  /**
   * The newer checkpoint says that the log was restored from a backup of `size` events since. The later events of the
   * older checkpoint are not in it.
   */
  | {
      readonly outcome: "restored";
      readonly size: number;
      readonly at: string;
      readonly backup: string;
      readonly lost: number;
    }
  /** The histories differ: an event that the older checkpoint covered was changed or removed. */
  | { readonly outcome: "forked" }
  | { readonly outcome: "other_log" };

/** Compares two signed checkpoints of a log with the proof that the newer extends the older. */
export const successionOf = (
  older: Checkpoint,
  newer: Checkpoint,
  proof: readonly Uint8Array[],
  sha256: Sha256,
): Succession => {
  if (older.origin !== newer.origin) return { outcome: "other_log" };
  if (isConsistent(older, newer, proof, sha256)) return { outcome: "consistent" };
  const restored = newer.remarks.find(
    (remark) =>
      remark.kind === "restored" &&
      remark.size < older.size &&
      !older.remarks.some(
        (known) =>
          known.kind === "restored" && known.backup === remark.backup && known.at === remark.at,
      ),
  );
  if (restored?.kind !== "restored") return { outcome: "forked" };
  const { size, at, backup } = restored;
  return { outcome: "restored", size, at, backup, lost: older.size - size };
};
