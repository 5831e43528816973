/** A quoted CSS string. */
export const cssString = (text: string): string =>
  `"${text.replace(/["\\]/g, "\\$&").replace(/[\p{Cc}]/gu, (char) => `\\${char.charCodeAt(0).toString(16)} `)}"`;

/** `[name="value"]` */
export const cssAttribute = (name: string, value: string): string =>
  `[${name}=${cssString(value)}]`;
