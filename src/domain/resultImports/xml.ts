import { type SaxesAttributePlain, SaxesParser } from "saxes";
import { MAX_DEPTH, unreadable } from "./report.ts";

/** The maximum length of an attribute value, in characters; longer values do not occur in test reports. */
const MAX_ATTRIBUTE = 1_000_000;
/** The most attributes of an element: hundreds of thousands hold up the process. */
const MAX_ATTRIBUTES = 1_000;

/** An element as it begins; its name without a prefix. */
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
  /** Reads on. Throws `results.unreadable` with the line. */
  write(text: string): void;
  /** Ends: throws `results.unreadable` where the document is not whole. */
  end(): void;
};

/**
 * Reads XML strictly and without a document type: nothing is fetched, and no entity is expanded but the five of
 * XML itself. Several documents may follow each other, as when reports were put together into one file.
 */
export const createXmlReader = (handler: XmlHandler): XmlReader => {
  const parser = new SaxesParser({ position: true });
  let depth = 0;
  let isEnding = false;
  /** Between two documents: the declaration of the second is no declaration to the parser. */
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
  parser.on("attribute", ({ name, value }: SaxesAttributePlain) => {
    attributes += 1;
    if (attributes > MAX_ATTRIBUTES) {
      throw unreadable(
        startedAt,
        `an element has more than ${MAX_ATTRIBUTES} attributes. Have the tool write the report again.`,
      );
    }
    if (value.length <= MAX_ATTRIBUTE) return;
    throw unreadable(
      parser.line,
      `the attribute ${name.slice(0, 60)} has ${value.length} characters; ${MAX_ATTRIBUTE} is the most. Write long texts into the element.`,
    );
  });
  parser.on("opentag", (tag) => {
    depth += 1;
    if (depth > MAX_DEPTH) {
      throw unreadable(
        startedAt,
        `elements stand more than ${MAX_DEPTH} deep in each other. Flatten the suites.`,
      );
    }
    const name = tag.name.slice(tag.name.indexOf(":") + 1);
    // Without namespaces they are texts.
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

/** Messages of the parser about a second document in a file: for each of its elements and for its declaration. */
const SECOND_ROOT = "documents may contain only one root.";
const SECOND_DECLARATION = "an XML declaration must be at the start of the document.";

const CUT_OFF = "The file ends in the middle: was it cut off? Send the whole file.";

const adviceFor = (what: string): string => {
  if (/disallowed character entity|disallowed character\.|malformed character/.test(what)) {
    return "XML holds no control characters, also not as &#…;: have the tool that wrote the report leave them out.";
  }
  if (/entity/.test(what)) return "Only &lt; &gt; &amp; &quot; &apos; and &#…; are read.";
  return "Have the tool write the report again; it must be well-formed XML.";
};
