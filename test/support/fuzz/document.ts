import type { Schema } from "./jsonSchema.ts";

/** The parts of openapi.json from which requests are generated and responses checked. */
export type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Answer>>;
  };
};

type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;

type Described = {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
};

type Answer = { readonly content?: Content };

type Reference = { readonly $ref: string };

export type Parameter = {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly schema: Schema;
};

export type DescribedOperation = Described & { readonly method: string; readonly path: string };

/** Returns the operations of the document with resolved references to parameters and responses. */
export const operationsIn = (document: Document): readonly DescribedOperation[] => {
  const { parameters, responses } = document.components;
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...described,
      ...(described.parameters && {
        parameters: described.parameters.map((each) => componentOf(each, parameters)),
      }),
      responses: Object.fromEntries(
        Object.entries(described.responses).map(([status, answer]) => [
          status,
          componentOf(answer, responses),
        ]),
      ),
      method: method.toUpperCase(),
      path,
    })),
  );
};

const componentOf = <Part extends object>(
  part: Part | Reference,
  components: Readonly<Record<string, Part>>,
): Part => {
  if (!("$ref" in part)) return part;
  const found = components[part.$ref.split("/").at(-1) ?? ""];
  if (!found) throw new Error(`There is no ${part.$ref}`);
  return found;
};

/** Resolves `#/components/schemas/Name`. */
export const refsOf =
  (document: Document) =>
  (reference: string): Schema => {
    const found = document.components.schemas[reference.replace("#/components/schemas/", "")];
    if (!found) throw new Error(`There is no ${reference}`);
    return found;
  };
