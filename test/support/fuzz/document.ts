import type { Schema } from "./jsonSchema.ts";

/** The parts of openapi.json that requests are made of, and answers held to. */
export type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;

type Described = {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
};

export type Parameter = {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly schema: Schema;
};

export type DescribedOperation = Described & { readonly method: string; readonly path: string };

export const operationsIn = (document: Document): readonly DescribedOperation[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...described,
      method: method.toUpperCase(),
      path,
    })),
  );

/** Finds `#/components/schemas/Name`. */
export const refsOf =
  (document: Document) =>
  (reference: string): Schema => {
    const found = document.components.schemas[reference.replace("#/components/schemas/", "")];
    if (!found) throw new Error(`There is no ${reference}`);
    return found;
  };
