import { stringify } from "yaml";
import { plainDataOf, plainStep, type TestDocument } from "./testDocument.ts";

/**
 * The compiled step list, and the data that it runs with, as a YAML 1.2 document. Same document, same bytes. Texts are quoted so that YAML 1.1
 * readers take them for texts too (`yes`, `1:30`).
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
