import { type SaxesAttributePlain, SaxesParser } from "saxes";
import { MAX_DEPTH, unreadable } from "./report.ts";

/** The maximum length of an attribute value, in characters; longer values do not occur in test reports. */
const MAX_ATTRIBUTE = 1_000_000;
/** The maximum of attributes of an element: hundreds of thousands would block the process. */
const MAX_ATTRIBUTES = 1_000;

/** The start of an element; its name without a prefix. */
export type Opened = {
  readonly name: string;
  readonly line: number;
  readonly attributes: Readonly<Record<string, string>>;
};

/** Receives the parts of a document in order. */
export type XmlHandler = {
  opened(element: Opened): void;
  closed(): void;
  text(text: string): void;
};

export type XmlReader = {
  /** Reads the next part of the text. Throws `results.unreadable` with the line. */
  write(text: string): void;
  /** Ends the text. Throws `results.unreadable` if the document is incomplete. */
  end(): void;
};

/**
 * Reads well-formed XML without a document type: nothing is fetched, and only the five predefined entities are
 * expanded. Several documents may follow each other, as in concatenated reports.
 */
export const createXmlReader = (handler: XmlHandler): XmlReader => {
  const parser = new SaxesParser({ position: true });
  let depth = 0;
  let isEnding = false;
  /** Between two documents: the parser reports the declaration of the second as an error. */
  let isBetween = false;
  let startedAt = 1;
  let attributes = 0;

  parser.on("error", ({ message }) => {
    const [, what = message] = /^\d+:\d+: (.*)$/s.exec(message) ?? [];
    if (what === SECOND_ROOT) return;
    if (depth === 0 && what === SECOND_DECLARATION) isBetween = true;
    if (depth === 0 && isBetween) return;
    throw unreadable(parser.line, `${what} ${isEnding ? CUT_OFF : adviceFor(what)}`.trim());
  });
  parser.on("doctype", () => {
    throw unreadable(
      parser.line,
      "it has a document type (<!DOCTYPE …>), which is not read: entities could stand for files or for gigabytes. Take it out.",
    );
  });
  parser.on("opentagstart", () => {
    startedAt = parser.line;
    attributes = 0;
    isBetween = false;
  });
  parser.on("attribute", (attribute: SaxesAttributePlain) => {
    attributes += 1;
    checkAttribute(attribute, attributes, { startedAt, line: parser.line });
  });
  parser.on("opentag", (tag) => {
    depth += 1;
    checkDepth(depth, startedAt);
    const name = tag.name.slice(tag.name.indexOf(":") + 1);
    // Without namespaces, attributes are strings.
    const told = tag.attributes as Readonly<Record<string, string>>;
    handler.opened({ name, line: startedAt, attributes: told });
  });
  parser.on("closetag", () => {
    depth -= 1;
    handler.closed();
  });
  parser.on("text", handler.text);
  parser.on("cdata", handler.text);

  return {
    write: (text) => {
      parser.write(text);
    },
    end: () => {
      isEnding = true;
      parser.close();
    },
  };
};

/** Messages of the parser about a second document in a file: one for its elements, one for its declaration. */
const SECOND_ROOT = "documents may contain only one root.";
const SECOND_DECLARATION = "an XML declaration must be at the start of the document.";

const CUT_OFF = "The file ends in the middle: was it cut off? Send the whole file.";

/** Throws `results.unreadable` if the element has too many attributes or the value is too long. */
const checkAttribute = (
  { name, value }: SaxesAttributePlain,
  count: number,
  { startedAt, line }: { readonly startedAt: number; readonly line: number },
): void => {
  if (count > MAX_ATTRIBUTES) {
    throw unreadable(
      startedAt,
      `an element has more than ${MAX_ATTRIBUTES} attributes. Have the tool write the report again.`,
    );
  }
  if (value.length <= MAX_ATTRIBUTE) return;
  throw unreadable(
    line,
    `the attribute ${name.slice(0, 60)} has ${value.length} characters; ${MAX_ATTRIBUTE} is the most. Write long texts into the element.`,
  );
};

/** Throws `results.unreadable` if elements are nested too deep. */
const checkDepth = (depth: number, line: number): void => {
  if (depth <= MAX_DEPTH) return;
  throw unreadable(
    line,
    `elements stand more than ${MAX_DEPTH} deep in each other. Flatten the suites.`,
  );
};

const adviceFor = (what: string): string => {
  if (/disallowed character entity|disallowed character\.|malformed character/.test(what)) {
    return "XML holds no control characters, also not as &#…;: have the tool that wrote the report leave them out.";
  }
  if (/entity/.test(what)) return "Only &lt; &gt; &amp; &quot; &apos; and &#…; are read.";
  return "Have the tool write the report again; it must be well-formed XML.";
};
