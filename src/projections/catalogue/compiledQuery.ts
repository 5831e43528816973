import { type Compilable, CompiledQuery, type Kysely } from "kysely";

/**
 * Runs a query that is asked for often. Its text is made by the query builder once for each `shape`, of which there
 * are a few: to build it took as long as all else that is done for the answer. `values` are what differs, in
 * the order in which the text has them; those that the shape leaves out are undefined.
 */
export const writtenOnce = <Row>(db: Pick<Kysely<never>, "executeQuery">) => {
  const texts = new Map<string, string>();
  return async (
    shape: string,
    values: readonly unknown[],
    build: () => Compilable<Row>,
  ): Promise<Row[]> => {
    const text = texts.get(shape) ?? build().compile().sql;
    texts.set(shape, text);
    const given = values.filter((value) => value !== undefined);
    return (await db.executeQuery<Row>(CompiledQuery.raw(text, given))).rows;
  };
};
