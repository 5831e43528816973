import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { type Case, clicks, enabled, fills, texts, things } from "./cases.ts";
import type { PageValue } from "./inPage.ts";

declare const document: PageValue;
declare const scrollTo: PageValue;

const require = createRequire(import.meta.url);
const folderOf = (name: string): string => path.dirname(require.resolve(`${name}/package.json`));

/** Folders of applications that others wrote, by the first part of their address. */
const folders: Readonly<Record<string, string>> = {
  kitchensink: path.join(folderOf("cypress-example-kitchensink"), "app"),
  admin: path.join(folderOf("startbootstrap-sb-admin"), "dist"),
  paper: folderOf("paper-dashboard"),
  widgets: folderOf("jquery-ui-dist"),
};

/** The pages of the applications that are tested. */
export const appPages = [
  "/admin/index.html",
  "/admin/register.html",
  "/admin/tables.html",
  "/kitchensink/index.html",
  "/kitchensink/commands/actions.html",
  "/paper/user.html",
  "/paper/dashboard.html",
  "/widgets/index.html",
] as const;

const TYPES: Readonly<Record<string, string>> = {
  ...{ ".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript" },
  ...{ ".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".gif": "image/gif" },
};

/** What pages load from other hosts is left out: the suite needs no network. */
const ELSEWHERE =
  /<(?:script|link|iframe|img)\b[^>]*\b(?:src|href)=["'](?:https?:)?\/\/[^>]*>(?:\s*<\/(?:script|iframe)>)?/gi;

/** Serves the applications on loopback. */
export const serveApps = async (): Promise<{ readonly url: string; close(): Promise<void> }> => {
  const server = createServer((request, response) => {
    const [, app = "", ...rest] = decodeURI((request.url ?? "/").split("?")[0] ?? "/").split("/");
    const folder = folders[app];
    const file = folder && path.join(folder, ...rest);
    if (!file?.startsWith(folder ?? "/")) return void response.writeHead(404).end();
    readFile(file).then(
      (bytes) => {
        const extension = path.extname(file);
        const body = extension === ".html" ? bytes.toString().replaceAll(ELSEWHERE, "") : bytes;
        response.writeHead(200, { "content-type": TYPES[extension] ?? "application/octet-stream" });
        response.end(body);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

type Names = readonly (readonly [text: string, at: string])[];
/** What a page shows that can be named for certain, with selectors of attributes that `harvest` sets. */
export type Harvest = {
  readonly texts: Names;
  readonly headings: Names;
  readonly links: Names;
  readonly buttons: Names;
  readonly fields: Names;
};

/**
 * Finds what a person can name on a page, without the executor: texts, headings, links, buttons and fields that are
 * drawn, not covered, and whose words stand once in the text of the page. Runs in the page.
 */
export const harvest = (): Harvest => {
  // biome-ignore lint/performance/useDomNodeTextContent: only what is rendered counts.
  const shown = (element: PageValue): string => (element as PageValue).innerText;
  const said = shown(document.body).replace(/\s+/g, " ");
  const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const isOnce = (text: string): boolean =>
    [...said.matchAll(new RegExp(`(?<![\\p{L}\\p{N}_])${escaped(text)}(?![\\p{L}\\p{N}_])`, "giu"))]
      .length === 1;
  const isDrawn = (element: PageValue): boolean => {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    element.scrollIntoView({ block: "center" });
    const { x, y, width, height } = element.getBoundingClientRect();
    const hit = document.elementFromPoint(x + width / 2, y + height / 2);
    return (
      width > 8 && height > 8 && hit !== null && (element.contains(hit) || hit.contains(element))
    );
  };
  let marked = 0;
  const find = (selector: string, most: number, nameOf: (element: PageValue) => string): Names => {
    const found: [string, string][] = [];
    for (const element of document.querySelectorAll(selector)) {
      // A calendar shows another month every month.
      if (element.closest("[class*=datepicker]")) continue;
      const text = nameOf(element).replace(/\s+/g, " ").trim();
      const isPlain =
        text.length > 2 &&
        text.length < 41 &&
        /^[\p{L}\p{N}][\p{L}\p{N} $.,%-]*[\p{L}\p{N}]$/u.test(text);
      if (found.length === most) break;
      if (!isPlain || !isOnce(text) || !isDrawn(element)) continue;
      marked++;
      element.setAttribute("data-verdict", String(marked));
      found.push([text, `[data-verdict="${marked}"]`]);
    }
    return found;
  };
  const ownText = (element: PageValue): string =>
    element.childNodes.length === 1 && element.firstChild.nodeType === 3
      ? element.firstChild.data
      : "";
  const labelOf = (element: PageValue): string =>
    [...((element as PageValue).labels ?? [])].map(shown).join(" ");
  const harvested = {
    headings: find("h1, h2, h3, h4", 2, ownText),
    links: find("a[href]:not([role])", 3, shown),
    buttons: find("button:not([role])", 2, shown),
    fields: find("input[type=text], input[type=email], input[type=password], textarea", 3, labelOf),
    texts: find("p, td, th, span, div, li, label, b, small", 6, ownText),
  };
  scrollTo(0, 0);
  return harvested;
};

/** The cases of an application's page. */
export const casesOf = (page: string, found: Harvest): readonly Case[] => [
  ...texts(page, found.texts),
  ...things(page, "heading", "heading", found.headings),
  ...things(page, "link", "link", found.links),
  ...clicks(page, "link", "link", found.links),
  ...things(page, "button", "button", found.buttons),
  ...clicks(page, "button", "button", found.buttons),
  ...enabled(page, "button", "button", found.buttons),
  ...fills(page, found.fields),
];
