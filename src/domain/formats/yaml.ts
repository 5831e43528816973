import { stringify } from "yaml";
import { plainDataOf, plainStep, type TestDocument } from "./testDocument.ts";

/**
 * Writes the compiled steps and the data as YAML 1.2. Deterministic. Quotes texts, so that YAML 1.1 readers do not convert
 * values such as `yes` or `1:30`.
 */
export const toYaml = (document: TestDocument): string =>
  stringify(
    {
      name: document.name,
      language: document.language,
      platform: document.platform,
      steps: document.steps.map(plainStep),
      ...plainDataOf(document),
    },
    { lineWidth: 0, defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN", version: "1.2" },
  );
