export { describeStep } from "./describe.ts";
export {
  GRAMMAR_VERSION,
  type ParsedEnglish,
  type ParseWarning,
  parseEnglish,
  parseInSlices,
} from "./parse.ts";
