import { createHash } from "node:crypto";

/** JSON as it is parsed. */
type Json = Readonly<Record<string, unknown>>;

const MARK = "x-release";

/**
 * The document as a release of this version promises it: with the version and a digest, so that a
 * baseline that was changed by hand, or written again under the same version, is found.
 */
export const releaseOf = (document: Json, version: string): Json => ({
  ...document,
  [MARK]: { version, sha256: digestOf(document) },
});

/**
 * The problems of the committed baseline (`null`: missing); empty if it is the one that a release wrote. `version` is
 * that of package.json.
 */
export const problemsOfBaseline = (released: Json | null, version: string): string[] => {
  if (released === null) {
    return ["openapi.released.json is missing: it is the contract of the last release"];
  }
  const { [MARK]: mark, ...document } = released;
  const { version: of, sha256 } = (mark ?? {}) as { version?: unknown; sha256?: unknown };
  if (sha256 !== digestOf(document)) {
    return ["openapi.released.json was changed by hand: a release alone writes it"];
  }
  return typeof of === "string" && !isNewer(of, version)
    ? []
    : [`openapi.released.json is of ${of}, which is later than package.json's ${version}`];
};

/** Why a release of this version must not write the baseline; null when it may. */
export const whyNoRelease = (released: Json | null, version: string): string | null => {
  const { version: last } = (released?.[MARK] ?? {}) as { version?: unknown };
  return typeof last === "string" && !isNewer(version, last)
    ? `${last} is released; a release has a later version than that in package.json`
    : null;
};

const digestOf = (document: Json): string =>
  createHash("sha256").update(JSON.stringify(document)).digest("hex");

/** Whether a version `1.2.3` comes after another. */
const isNewer = (one: string, other: string): boolean => {
  const [left, right] = [partsOf(one), partsOf(other)];
  for (let i = 0; i < 3; i += 1) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
};

const partsOf = (version: string): number[] => version.split(/[.-]/).slice(0, 3).map(Number);
