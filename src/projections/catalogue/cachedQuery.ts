import { type Compilable, CompiledQuery, type Kysely } from "kysely";

/**
 * Caches the SQL text of a query by `shape`: building a query takes as long as the rest of the request. `values` are
 * the parameters in the order of the text; undefined ones are left out. There must be only a few shapes.
 */
export const cachedQuery = <Row>(db: Pick<Kysely<never>, "executeQuery">) => {
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
