import { createHash } from "node:crypto";
import { auditDecider } from "../../domain/audit/audit.ts";
import { encodeBase64 } from "../../domain/audit/tree/base64.ts";
import { hashLeaf } from "../../domain/audit/tree/leaf.ts";
import {
  formatEnd,
  writeProofEnd,
  writeProofHeader,
  writeProvenEvent,
} from "../../domain/audit/tree/proofExport.ts";
import { planDecider } from "../../domain/billing/plan.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { Clock } from "../../platform/clock.ts";
import type { RawEvent, RawLog } from "../../platform/eventLog/rawLog.ts";
import { sha256Bytes } from "../../platform/signatures.ts";
import { sleep } from "../../platform/sleep.ts";
import { treeProofs } from "../../stores/audit/proofs.ts";
import type { CheckpointSigner } from "../../stores/audit/signer.ts";
import type { TileStore } from "../../stores/audit/tiles.ts";
import type { AuditTree, TreeState } from "../../stores/audit/tree.ts";
import type { EventIndex } from "../../stores/inspection/eventIndex.ts";
import type { CommandContext, CommandLoop } from "../kernel/commandLoop.ts";

/** How long an export waits until its last event is under a checkpoint. */
const SEALED_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 100;

type Deps = {
  readonly raw: Pick<RawLog, "readStream">;
  readonly tree: AuditTree;
  readonly tiles: TileStore;
  readonly signer: CheckpointSigner;
  readonly index: Pick<EventIndex, "findEvent">;
  readonly loop: CommandLoop;
  readonly clock: Clock;
};

/** A checkpoint with the key that verifies it. */
export type SignedTree = {
  readonly checkpoint: string;
  readonly key: string;
  readonly size: number;
  readonly signedAt: string;
  readonly consistency: Extension | null;
};

/** The proof that the tree of `to` leaves extends the one of `from`; the hashes are in base64. */
type Extension = { readonly from: number; readonly to: number; readonly hashes: string[] };

export type ProofCommands = ReturnType<typeof proofCommands>;

/** Checkpoints of the log, and proofs about them. */
export const proofCommands = (deps: Deps) => {
  const { tree, signer } = deps;
  return {
    /**
     * The newest checkpoint; null before the first one. With `from`: and the proof that the tree of `to` leaves (null:
     * the newest) extends the one of `from`. Rejects with DomainError `audit.ahead` if the tree is smaller.
     */
    readCheckpoint: async (from: number | null, to: number | null): Promise<SignedTree | null> => {
      const state = await tree.load();
      const { checkpoint, size, signedAt } = state;
      if (checkpoint === null || signedAt === null) return null;
      const consistency = from === null ? null : await proveExtension(deps, state, from, to);
      return { checkpoint, key: signer.verifierKey, size, signedAt, consistency };
    },

    /**
     * Writes a plan's events with the proof that each is in the log's tree, and a signed end. `from`: also proves that
     * the tree extends the one of this size. Rejects with DomainError `audit.unsealed` if no checkpoint covers the
     * events yet, `audit.ahead` if the tree is smaller than `from`.
     */
    exportProofs: (
      context: CommandContext,
      organizationId: string,
      from: number | null,
    ): Promise<AsyncGenerator<string>> => exportProofs(deps, context, organizationId, from),
  };
};

const proveExtension = async (
  deps: Deps,
  state: TreeState,
  from: number,
  to: number | null,
): Promise<Extension> => {
  const size = to ?? state.size;
  if (from > size || size > state.size) throw isAhead(state, Math.max(from, size));
  const hashes = await treeProofs(deps, state).consistency(from, size);
  return { from, to: size, hashes: hashes.map(encodeBase64) };
};

const isAhead = ({ size }: TreeState, asked: number): DomainError =>
  new DomainError("audit.ahead", `The log has ${size} events: there is no proof for ${asked}.`);

const exportProofs = async (
  deps: Deps,
  context: CommandContext,
  organizationId: string,
  from: number | null,
): Promise<AsyncGenerator<string>> => {
  const stream = `${planDecider.category}-${organizationId}`;
  const events: RawEvent[] = [];
  for await (const event of deps.raw.readStream(stream)) events.push(event);
  const { state, positionOf } = await sealedState(deps, events);
  if (from !== null && from > state.size) throw isAhead(state, from);
  return writeProofs(deps, context, { organizationId, stream, from, events, state, positionOf });
};

async function* writeProofs(
  deps: Deps,
  context: CommandContext,
  of: {
    readonly organizationId: string;
    readonly stream: string;
    readonly from: number | null;
    readonly events: readonly RawEvent[];
    readonly state: TreeState;
    readonly positionOf: (event: RawEvent) => bigint;
  },
): AsyncGenerator<string> {
  const { signer, loop, clock } = deps;
  const { organizationId, stream, from, events, state, positionOf } = of;
  const proofs = treeProofs(deps, state);
  const proven = from === null ? null : await proveExtension(deps, state, from, null);
  const consistency = proven && { from: proven.from, hashes: proven.hashes };
  const sha256 = createHash("sha256");
  const hashed = (text: string): string => {
    sha256.update(text);
    return text;
  };
  const { checkpoint } = state;
  yield hashed(
    writeProofHeader({
      stream,
      key: signer.verifierKey,
      checkpoint: checkpoint ?? "",
      consistency,
    }),
  );
  for (const event of events) {
    const index = await proofs.findLeaf(hashLeaf(event, sha256Bytes), positionOf(event));
    const proof = index === null ? [] : await proofs.inclusion(index);
    yield hashed(writeProvenEvent({ event, index, proof }));
  }
  const exportedAt = clock().toISOString();
  const end = { stream, count: events.length, exportedAt, sha256: sha256.digest("hex") };
  const data = {
    ...{ format: "proofs", count: end.count, sha256: end.sha256 },
    ...{ hash: Buffer.from(state.root).toString("hex"), kid: signer.origin },
  };
  const look = { type: "PlanHistoryExported", data } as const;
  await loop.execute(auditDecider, organizationId, { type: "record", look }, context);
  yield writeProofEnd(signer.signText(formatEnd(end)));
}

/** A state of the tree that covers these events, and their positions. */
const sealedState = async ({ tree, index, clock }: Deps, events: readonly RawEvent[]) => {
  const deadline = clock().getTime() + SEALED_WITHIN_MS;
  for (;;) {
    const found = await Promise.all(events.map(({ id }) => index.findEvent(id)));
    const positions = new Map(found.map((one) => [one?.event_id, one?.position]));
    const newest = found.at(-1)?.position ?? (events.length === 0 ? 0n : null);
    const state: TreeState = await tree.load();
    const isSealed = newest !== null && state.position !== null && state.position >= newest;
    if (isSealed && state.checkpoint !== null) {
      return { state, positionOf: ({ id }: RawEvent): bigint => positions.get(id) ?? -1n };
    }
    if (clock().getTime() > deadline) {
      throw new DomainError(
        "audit.unsealed",
        "The newest events have no signed checkpoint yet. Try again; a process with the role projections must run.",
      );
    }
    await sleep(LOOK_EVERY_MS);
  }
};
