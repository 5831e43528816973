import { entriesOf, type PersistentMap } from "../billing/persistentMap.ts";

/** Converts a state to JSON: maps become objects, sets become arrays, undefined fields are omitted. */
export const plain = (value: unknown): unknown => {
  if (typeof value === "bigint") return String(value);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return plainEntries(value);
  if (value instanceof Set) return [...value].map(plain);
  if (isGrown(value)) return plainEntries(entriesOf(value));
  return plainEntries(Object.entries(value));
};

const plainEntries = (entries: Iterable<readonly [unknown, unknown]>): Record<string, unknown> =>
  Object.fromEntries(
    [...entries].flatMap(([key, value]) =>
      value === undefined ? [] : [[String(key), plain(value)]],
    ),
  );

const isGrown = (value: object): value is PersistentMap<unknown> =>
  "store" in value && "version" in value && value.store instanceof Map;

/** Matches e-mail addresses in a text. */
const ADDRESS = /[\p{L}\p{N}._+%-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu;
/** Fields that would contain personal data. */
const PERSONAL: ReadonlySet<string> = new Set(["email", "address", "phone", "full_name"]);

export const HIDDEN = "[hidden]";

/** Hides e-mail addresses. Events contain none, except where a test step types one. */
export const withoutPersons = (value: unknown): unknown => {
  if (typeof value === "string") {
    return value.includes("@") ? value.replace(ADDRESS, HIDDEN) : value;
  }
  if (Array.isArray(value)) return value.map(withoutPersons);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      PERSONAL.has(key) && typeof each === "string" ? HIDDEN : withoutPersons(each),
    ]),
  );
};
