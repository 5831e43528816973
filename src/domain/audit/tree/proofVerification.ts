import type { Checkpoint } from "./checkpoint.ts";
import { hashLeaf, type LeafEvent } from "./leaf.ts";
import { isIncluded, type Sha256 } from "./merkle.ts";
import { readProvenEvent } from "./proofExport.ts";

/** Why a line of an export proves nothing. `line` counts from 1, the header included. */
export type ProofProblem = { readonly line: number; readonly reason: string };

/**
 * Verifies the events of an export line by line, in constant memory: each is in the tree of the checkpoint, they are in
 * the order of the log, and no revision of the stream is missing. `disagreementOf` judges the content of an event.
 */
export const proofVerification = (
  checkpoint: Checkpoint,
  stream: string,
  sha256: Sha256,
  disagreementOf: (event: LeafEvent) => string | null,
) => {
  const problems: ProofProblem[] = [];
  let line = 1;
  let count = 0;
  let revision = 0n;
  let last = -1;
  const problemsOf = (text: string): readonly string[] => {
    const proven = readProvenEvent(text, stream);
    if (!proven) return ["It is not an event of this format."];
    const { event, index, proof } = proven;
    const found: string[] = [];
    if (event.revision > revision) {
      found.push(`Revisions ${revision} to ${event.revision - 1n} are missing before it.`);
    } else if (event.revision < revision) found.push(`Revision ${event.revision} is out of order.`);
    revision = event.revision + 1n;
    const name = `Event ${event.id} (${event.type}, revision ${event.revision})`;
    const hash = hashLeaf(event, sha256);
    if (index === null) {
      found.push(`${name} is not in the signed tree: it was altered or inserted in the log.`);
      return found;
    }
    if (!isIncluded({ hash, index }, checkpoint, proof, sha256)) {
      found.push(`${name} is not leaf ${index} of the signed tree: it was altered.`);
    }
    if (index <= last) found.push(`${name} is out of the order of the log.`);
    last = index;
    const disagreement = disagreementOf(event);
    if (disagreement !== null) found.push(`${name}: ${disagreement}`);
    return found;
  };
  return {
    /** Takes the next line after the header, without its line feed. */
    take: (text: string): void => {
      line += 1;
      count += 1;
      for (const reason of problemsOf(text)) problems.push({ line, reason });
    },
    end: () => ({ count, problems }),
  };
};
