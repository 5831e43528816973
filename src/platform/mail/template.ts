/** Content of a mail: plain text paragraphs and at most one action. */
export type Letter = {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** Sections below the paragraphs, each with lines and an optional picture. */
  readonly sections?: readonly {
    readonly title: string;
    readonly lines: readonly string[];
    readonly cid?: string | undefined;
  }[];
  readonly action?: { readonly label: string; readonly url: string };
  /** Paragraphs below the action. */
  readonly closing?: readonly string[];
};

/** Renders a mail as text and HTML. All text is escaped in the HTML. */
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

/** Removes line breaks: they would end the subject header. */
const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, " ");

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for HTML content and attribute values. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
