import type {
  DocumentNode,
  FragmentDefinitionNode,
  GraphQLSchema,
  SelectionSetNode,
} from "graphql";
import { ApiError } from "../apiError.ts";
import { graphqlJs } from "./graphqlJs.ts";

const { getNullableType, isListType, isObjectType } = graphqlJs;

/** Deeper than any question: introspection nests its types deeply. */
const MAX_DEPTH = 20;
/** How much one query may ask for, under whatever aliases: each is a few reads of the database, or of the log. */
const MAX_ASKED = 5;
/** Fields that stand in the query, and names of fragments: some rules of GraphQL compare each with each. */
const MAX_FIELDS = 300;
/** Operations and fragments: the same rules follow each from each. */
const MAX_DEFINITIONS = 50;
/** What is worked out at most, where each list counts for {@link LIST_FACTOR} items, and a page for as many as it has. */
const MAX_COST = 5_000;
const LIST_FACTOR = 10;
const PAGE_FACTOR = 50;

/** Each of them leads from one type to many, and round in circles: no tool asks for one within another. */
const TYPE_LISTS: ReadonlySet<string> = new Set([
  "fields",
  "inputFields",
  "interfaces",
  "possibleTypes",
]);

/** What a part of a query comes to, with its fragments in their places. */
type Cost = {
  readonly cost: number;
  readonly depth: number;
  /** Fields that stand in it directly, introspection aside. */
  readonly width: number;
  readonly typeLists: number;
};

const nothing: Cost = { cost: 0, depth: 0, width: 0, typeLists: 0 };

/** The names of fields that are lists, wherever in a schema. */
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
 * Refuses a query that asks for too much before anything of it is worked out: fields, depth, what stands at its top,
 * and what lists, aliases and fragments multiply them by. Takes time in proportion to the query's length.
 * Throws ApiError 400 that says which limit.
 */
export const checkQueryCost = (document: DocumentNode, lists: ReadonlySet<string>): void => {
  if (document.definitions.length > MAX_DEFINITIONS) {
    refuse(`At most ${MAX_DEFINITIONS} operations and fragments can be sent.`);
  }
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === "FragmentDefinition") fragments.set(definition.name.value, definition);
  }
  const known = new Map<string, Cost | "being worked out">();
  let fields = 0;

  const ofFragment = (name: string): Cost => {
    const before = known.get(name);
    if (before === "being worked out") refuse(`The fragment ${name} holds itself.`);
    if (before !== undefined) return before as Cost;
    known.set(name, "being worked out");
    // One that there is not is the query engine's to refuse.
    const cost = ofSelections(fragments.get(name)?.selectionSet);
    known.set(name, cost);
    return cost;
  };

  const ofSelections = (set: SelectionSetNode | undefined): Cost =>
    (set?.selections ?? []).reduce((sum, selection) => {
      if (selection.kind !== "InlineFragment") fields += 1;
      if (fields > MAX_FIELDS) refuse(`At most ${MAX_FIELDS} fields can be asked for.`);
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
      if (cost.width > MAX_ASKED) refuse(`At most ${MAX_ASKED} things can be asked for at once.`);
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
  if (depth > MAX_DEPTH) refuse(`At most ${MAX_DEPTH} levels can be asked for.`);
  if (typeLists > 1) refuse("The fields of a field's type cannot be asked for at once with it.");
  if (cost > MAX_COST) refuse(`This comes to ${cost}, and ${MAX_COST} can be asked for at once.`);
};

const refuse = (detail: string): never => {
  throw new ApiError(400, `query: asks for too much. ${detail}`);
};
