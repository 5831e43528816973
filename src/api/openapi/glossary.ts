import { termsAToM } from "./termsAToM.ts";
import { termsNToZ } from "./termsNToZ.ts";

/**
 * Descriptions of fields and parameters by name, for schemas without a description of their own. A name of the form
 * `Component.field` describes the field of one component, `query.name` a query parameter.
 */
const descriptions: ReadonlyMap<string, string> = new Map(
  `${termsAToM}${termsNToZ}`
    .trim()
    .split(/\n+/)
    .map((line) => {
      const at = line.indexOf(": ");
      return [line.slice(0, at), line.slice(at + 2)];
    }),
);

/** The description of a field of a component, or of a parameter (`owner` is "query"). */
export const fieldDescription = (name: string, owner: string | null): string | undefined =>
  descriptions.get(`${owner}.${name}`) ?? descriptions.get(name);
