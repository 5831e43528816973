/** `json` and `yaml`: a test, a list of tests, or `{tests: [...]}`. `side`, `gherkin`, `playwright`: files of other tools. */
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

/** The format by file extension; null if it is unknown. */
export const formatOfName = (name: string): ImportFormat | null =>
  EXTENSIONS.find(([pattern]) => pattern.test(name))?.[1] ?? null;

/** Whether the first line after comments and tags starts a feature. */
const isFeature = (text: string): boolean => {
  const first = text.split("\n").find((line) => !/^\s*(?:$|[#@])/.test(line));
  return first !== undefined && /^\s*(?:Feature|Business Need|Ability)\s*:/.test(first);
};

const PROGRAM =
  /^\s*(?:import\b[^\n]*from\s|const \{[^}\n]*\} = require\(|test(?:\.\w+)*\(|\(async \(\) =>)/m;
const PLAYWRIGHT = /playwright|\bpage\.(?:goto|getBy|locator|click|fill)/;

/** Detects the format by content. Defaults to YAML. */
export const formatOfContent = (text: string): ImportFormat => {
  if (/^\s*[[{]/.test(text)) return "json";
  const head = text.slice(0, 20_000);
  if (isFeature(head)) return "gherkin";
  return PROGRAM.test(head) && PLAYWRIGHT.test(text) ? "playwright" : "yaml";
};
