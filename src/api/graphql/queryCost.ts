import type {
  DocumentNode,
  FragmentDefinitionNode,
  GraphQLSchema,
  SelectionSetNode,
} from "graphql";
import { ApiError } from "../apiError.ts";
import { graphqlJs } from "./graphqlJs.ts";

const { getNullableType, isListType, isObjectType } = graphqlJs;

/** Maximum depth. Introspection queries are deep. */
const MAX_DEPTH = 20;
/** Maximum of top-level fields, aliases included: each reads the database or the log. */
const MAX_TOP_LEVEL = 5;
/** Maximum of fields and fragment spreads: some validation rules are quadratic. */
const MAX_FIELDS = 300;
/** Maximum of operations and fragments, for the same reason. */
const MAX_DEFINITIONS = 50;
/** Maximum cost. A list counts {@link LIST_FACTOR} times, a page {@link PAGE_FACTOR} times. */
const MAX_COST = 5_000;
const LIST_FACTOR = 10;
const PAGE_FACTOR = 50;

/** Introspection fields that can be nested in cycles. A query may not nest them. */
const TYPE_LISTS: ReadonlySet<string> = new Set([
  "fields",
  "inputFields",
  "interfaces",
  "possibleTypes",
]);

/** Cost of a part of a query with its fragments expanded. */
type Cost = {
  readonly cost: number;
  readonly depth: number;
  /** Direct fields, except introspection. */
  readonly width: number;
  readonly typeLists: number;
};

const nothing: Cost = { cost: 0, depth: 0, width: 0, typeLists: 0 };

/** Names of all list fields of a schema. */
export const listFieldsOf = (schema: GraphQLSchema): ReadonlySet<string> => {
  const names = new Set<string>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith("__")) continue;
    for (const field of Object.values(type.getFields())) {
      if (isListType(getNullableType(field.type))) names.add(field.name);
    }
  }
  return names;
};

/**
 * Checks the cost of a query: number of fields, depth, top-level fields, and the multiplication by lists, aliases and
 * fragments. Linear in the length of the query. Throws ApiError 400 with the exceeded limit.
 */
export const checkQueryCost = (document: DocumentNode, lists: ReadonlySet<string>): void => {
  if (document.definitions.length > MAX_DEFINITIONS) {
    refuse(`At most ${MAX_DEFINITIONS} operations and fragments are allowed.`);
  }
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === "FragmentDefinition") fragments.set(definition.name.value, definition);
  }
  const known = new Map<string, Cost | "in progress">();
  let fields = 0;

  const ofFragment = (name: string): Cost => {
    const before = known.get(name);
    if (before === "in progress") refuse(`The fragment ${name} contains itself.`);
    if (before !== undefined) return before as Cost;
    known.set(name, "in progress");
    // The query engine rejects unknown fragments.
    const cost = ofSelections(fragments.get(name)?.selectionSet);
    known.set(name, cost);
    return cost;
  };

  const ofSelections = (set: SelectionSetNode | undefined): Cost =>
    (set?.selections ?? []).reduce((sum, selection) => {
      if (selection.kind !== "InlineFragment") fields += 1;
      if (fields > MAX_FIELDS) refuse(`At most ${MAX_FIELDS} fields are allowed.`);
      if (selection.kind === "FragmentSpread") return both(sum, ofFragment(selection.name.value));
      if (selection.kind === "InlineFragment") {
        return both(sum, ofSelections(selection.selectionSet));
      }
      const name = selection.name.value;
      const inside = ofSelections(selection.selectionSet);
      return both(sum, {
        cost: 1 + inside.cost * factorOf(name, lists),
        depth: 1 + inside.depth,
        width: name.startsWith("__") ? 0 : 1,
        typeLists: inside.typeLists + (TYPE_LISTS.has(name) ? 1 : 0),
      });
    }, nothing);

  for (const definition of document.definitions) {
    if (definition.kind === "OperationDefinition") {
      const cost = ofSelections(definition.selectionSet);
      if (cost.width > MAX_TOP_LEVEL)
        refuse(`At most ${MAX_TOP_LEVEL} top-level fields are allowed.`);
      check(cost);
    } else if (definition.kind === "FragmentDefinition") check(ofFragment(definition.name.value));
  }
};

const factorOf = (name: string, lists: ReadonlySet<string>): number => {
  if (name === "items") return PAGE_FACTOR;
  return lists.has(name) ? LIST_FACTOR : 1;
};

const both = (one: Cost, other: Cost): Cost => ({
  cost: one.cost + other.cost,
  depth: Math.max(one.depth, other.depth),
  width: one.width + other.width,
  typeLists: Math.max(one.typeLists, other.typeLists),
});

const check = ({ cost, depth, typeLists }: Cost): void => {
  if (depth > MAX_DEPTH) refuse(`At most ${MAX_DEPTH} levels are allowed.`);
  if (typeLists > 1) refuse("Nested type lists are not allowed in introspection.");
  if (cost > MAX_COST) refuse(`The cost is ${cost}; at most ${MAX_COST} is allowed.`);
};

const refuse = (detail: string): never => {
  throw new ApiError(400, `query: is too expensive. ${detail}`);
};
