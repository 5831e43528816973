import path from "node:path";
import ts from "typescript";

/** The bounded contexts. A context is a folder of this name in every layer. */
export const CONTEXTS = [
  ...["agents", "audit", "baselines", "billing", "catalogue", "dashboard", "english", "formats"],
  ...["healing", "identity", "inspection", "kernel", "notifications", "organizations"],
  ...["quarantine", "reports", "resultImports", "retention", "runs", "schedules", "usage"],
] as const;

const LAYERS = ["domain", "commands", "projections", "stores", "workers", "api/routes"];

/** Folders of one layer that are no context, and files beside the contexts. */
const BESIDE_CONTEXTS = new Set(["src/workers/executor", "src/api/routes/index.ts"]);

/** Longest file of src and web, in lines. */
export const MAX_FILE_LINES = 350;

/** Longest function body of src, web and test/support, in lines. */
export const MAX_FUNCTION_LINES = 60;

/** A migration is one list of statements that never changes: its functions may be long. */
const MIGRATION = /^src\/platform\/database\/migrations\//;

const LIMITED_IN_SIZE = /^(src|web)\//;

/** Tests may tell long stories; the support that they share has the same limit as the sources. */
const LIMITED_IN_FUNCTIONS = /^(src|web|test\/support)\//;

const GENERATED = new Set(["src/client/schema.ts", "src/client/types.ts"]);

/** Problems of the place and name of one file. */
export const placeProblems = (file: string): string[] => {
  const layer = LAYERS.find((each) => file.startsWith(`src/${each}/`));
  if (layer === undefined) return [];
  const [context = "", ...rest] = file.slice(`src/${layer}/`.length).split("/");
  if (BESIDE_CONTEXTS.has(`src/${layer}/${context}`)) return [];
  if (rest.length === 0 || !(CONTEXTS as readonly string[]).includes(context)) {
    return [
      `${context} is no context of src/${layer}: move the file into one of ${CONTEXTS.join(", ")}`,
    ];
  }
  const folder = path.basename(path.dirname(file));
  return repeatsFolder(path.basename(file, ".ts"), folder)
    ? [`the name repeats its folder ${folder}: leave the prefix out`]
    : [];
};

const repeatsFolder = (name: string, folder: string): boolean =>
  name.length > folder.length && name.startsWith(folder) && /[A-Z]/.test(name[folder.length] ?? "");

/** Problems of the length of one file. */
export const lengthProblems = (file: string, text: string): string[] => {
  if (!LIMITED_IN_SIZE.test(file) || GENERATED.has(file)) return [];
  const lines = text.split("\n").length - 1;
  return lines > MAX_FILE_LINES
    ? [`${lines} lines, more than ${MAX_FILE_LINES}: split it by operation`]
    : [];
};

/** The functions of a file whose bodies are longer than `MAX_FUNCTION_LINES` lines. */
export const functionProblems = (file: string, text: string): string[] => {
  if (MIGRATION.test(file)) return [];
  if (!LIMITED_IN_FUNCTIONS.test(file) || GENERATED.has(file)) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line;
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && "body" in node && node.body) {
      const first = lineOf(node.body.getStart());
      const lines = lineOf(node.end) - first + 1;
      if (lines > MAX_FUNCTION_LINES) {
        found.push(
          `line ${first + 1}: ${nameOf(node)} has ${lines} lines, more than ${MAX_FUNCTION_LINES}: extract functions (deps, input)`,
        );
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

const nameOf = (node: ts.SignatureDeclaration): string => {
  const named = node.name ?? (node.parent as { name?: ts.Node } | undefined)?.name;
  return named && ts.isIdentifier(named) ? named.text : "(anonymous)";
};

/** Files that npm run openapi or npm writes, and that .gitattributes must mark as generated. */
export const GENERATED_FILES = [
  "asyncapi.json",
  "openapi.json",
  "openapi.released.json",
  "package-lock.json",
  "schema.graphql",
  "src/client/schema.ts",
  "src/client/types.ts",
] as const;

/** The generated files that .gitattributes does not mark. */
export const unmarkedFiles = (gitattributes: string): string[] =>
  GENERATED_FILES.filter(
    (file) => !gitattributes.split("\n").includes(`${file} linguist-generated=true`),
  );
