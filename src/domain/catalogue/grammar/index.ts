export { describeStep } from "./describe.ts";
export { GRAMMAR_VERSION, type ParsedEnglish, type ParseWarning, parseEnglish } from "./english.ts";
