/** What files can be read: one test, a list of them, or `{tests: [...]}`; a bundle is one test; and those of other tools. */
export const importFormats = ["json", "yaml", "bundle", "side", "gherkin", "playwright"] as const;
export type ImportFormat = (typeof importFormats)[number];

const EXTENSIONS: readonly (readonly [RegExp, ImportFormat])[] = [
  [/\.side$/i, "side"],
  [/\.feature$/i, "gherkin"],
  [/\.(?:[cm]?[jt]s|[jt]sx)$/i, "playwright"],
  [/\.ya?ml$/i, "yaml"],
  [/\.runledger$/i, "bundle"],
  [/\.json$/i, "json"],
];

/** The format that a file's name says; null where it says none. */
export const formatOfName = (name: string): ImportFormat | null =>
  EXTENSIONS.find(([pattern]) => pattern.test(name))?.[1] ?? null;

/** A feature begins with its keyword, behind comments and tags at most. */
const isFeature = (text: string): boolean => {
  const first = text.split("\n").find((line) => !/^\s*(?:$|[#@])/.test(line));
  return first !== undefined && /^\s*(?:Feature|Business Need|Ability)\s*:/.test(first);
};

const PROGRAM =
  /^\s*(?:import\b[^\n]*from\s|const \{[^}\n]*\} = require\(|test(?:\.\w+)*\(|\(async \(\) =>)/m;
const PLAYWRIGHT = /playwright|\bpage\.(?:goto|getBy|locator|click|fill)/;

/** The format of a text by what stands in it: JSON begins with a bracket, what is nothing else is YAML. */
export const formatOfContent = (text: string): ImportFormat => {
  if (/^\s*[[{]/.test(text)) return "json";
  const head = text.slice(0, 20_000);
  if (isFeature(head)) return "gherkin";
  return PROGRAM.test(head) && PLAYWRIGHT.test(text) ? "playwright" : "yaml";
};
