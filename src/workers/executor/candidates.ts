import { likeness } from "../../domain/healing/score.ts";

/** Something that a person could have meant: its kind in plain words and its name. */
export type Candidate = {
  readonly kind: string;
  readonly name: string;
  /** It is in the modal dialog that is open. */
  readonly isInDialog?: boolean;
};

const MAX_SHOWN = 8;
/** From here on a name is like another one. */
const ALIKE = 0.3;

/** `field "Email"` for one candidate, long names cut. */
export const described = ({ kind, name }: Candidate): string => {
  const short = name.length > 60 ? `${name.slice(0, 59)}…` : name;
  return `${kind} ${JSON.stringify(short)}`;
};

type Ranked = {
  readonly candidate: Candidate;
  readonly isWanted: boolean;
  readonly score: number;
};

/**
 * At most eight candidates: those of the name first, whatever they are, then those of the wanted kinds whose names are
 * like it, in the open dialog before the page below. With nothing alike the first ones on the page are shown: they
 * tell which page it is.
 */
export const nearestCandidates = (
  candidates: readonly Candidate[],
  name: string,
  wantedKinds: readonly string[],
): Candidate[] => {
  const ranked = distinct(candidates)
    .map((candidate) => ({
      candidate,
      isWanted: wantedKinds.length === 0 || wantedKinds.includes(candidate.kind),
      score: likeness(candidate.name, name),
    }))
    // Ordinary text is shown only when it is like what was looked for.
    .filter(({ candidate, isWanted, score }) =>
      candidate.kind === "text" || !isWanted ? score >= ALIKE : true,
    )
    .sort((a, b) => rank(b) - rank(a));
  // With one alike among what could be meant, nothing of another name and kind needs to be said.
  const isFound = ranked.some(({ isWanted, score }) => isWanted && score >= ALIKE);
  return ranked
    .filter(({ isWanted, score }) => isWanted || !isFound || score === 1)
    .slice(0, MAX_SHOWN)
    .map(({ candidate }) => candidate);
};

/** A text that only repeats the name of a control says nothing more. */
const distinct = (candidates: readonly Candidate[]): Candidate[] => {
  const seen = new Set<string>();
  const named = new Set(candidates.flatMap(({ kind, name }) => (kind === "text" ? [] : [name])));
  return candidates.filter((candidate) => {
    const key = described(candidate);
    if (seen.has(key) || (candidate.kind === "text" && named.has(candidate.name))) return false;
    seen.add(key);
    return true;
  });
};

const rank = ({ score, isWanted, candidate }: Ranked): number =>
  (score === 1 ? 2 : 0) +
  (candidate.isInDialog === true ? 1 : 0) +
  (score >= ALIKE ? score : 0) +
  (isWanted ? 0.2 : 0);
