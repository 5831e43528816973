/** What a message says: paragraphs of plain text, and at most one thing to do. */
export type Letter = {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** What is said of several things, below the paragraphs: a line each, and a picture where there is one. */
  readonly sections?: readonly {
    readonly title: string;
    readonly lines: readonly string[];
    readonly cid?: string | undefined;
  }[];
  readonly action?: { readonly label: string; readonly url: string };
  /** Said below the action. */
  readonly closing?: readonly string[];
};

/** Writes a letter as text and as HTML. All that is put into the HTML is escaped: names come from people. */
export const writeLetter = ({
  subject,
  paragraphs,
  sections = [],
  action,
  closing = [],
}: Letter): { readonly subject: string; readonly text: string; readonly html: string } => {
  const text = [
    ...paragraphs,
    ...sections.map(({ title, lines }) => [title, ...lines.map((line) => `  ${line}`)].join("\n")),
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    ...closing,
  ];
  const html = [
    ...paragraphs.map(paragraph),
    ...sections.map(
      ({ title, lines, cid }) =>
        `<h3>${escapeHtml(title)}</h3>${lines.map(paragraph).join("")}${cid === undefined ? "" : `<p><img src="cid:${escapeHtml(cid)}" alt="${escapeHtml(title)}" style="max-width:100%"></p>`}`,
    ),
    ...(action
      ? [`<p><a href="${escapeHtml(action.url)}">${escapeHtml(action.label)}</a></p>`]
      : []),
    ...closing.map(paragraph),
  ];
  return {
    subject: oneLine(subject),
    text: `${text.join("\n\n")}\n`,
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(oneLine(subject))}</title></head><body>${html.join("")}</body></html>`,
  };
};

const paragraph = (text: string): string => `<p>${escapeHtml(text)}</p>`;

/** A subject is a header: a line break in it would be the end of the header. */
const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, " ");

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text as it stands in HTML, between tags or in an attribute: nothing of it is markup. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
