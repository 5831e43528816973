import { stringify } from "yaml";
import { plainStep, type TestDocument } from "./testDocument.ts";

/**
 * The compiled step list as a YAML 1.2 document. Same document, same bytes. Texts are quoted so that YAML 1.1
 * readers take them for texts too (`yes`, `1:30`).
 */
export const toYaml = (document: TestDocument): string =>
  stringify(
    {
      name: document.name,
      language: document.language,
      platform: document.platform,
      steps: document.steps.map(plainStep),
    },
    { lineWidth: 0, defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN", version: "1.2" },
  );
