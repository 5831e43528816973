import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseTarget } from "../../../../src/domain/catalogue/target.ts";
import type { BrowserPool, PooledContext } from "../../../../src/workers/executor/browserPool.ts";
import { heal, takeFingerprint } from "../../../../src/workers/executor/healing/heal.ts";
import { look } from "../../../../src/workers/executor/look.ts";
import { size } from "../../../support/thorough.ts";
import { openPool } from "../kit.ts";
import {
  holdOn,
  isIt,
  mutate,
  mutations,
  remove,
  type Subject,
  subjectsOf,
  targetFor,
} from "./mutations.ts";

const folderOf = (name: string, folder: string): string =>
  path.join(path.dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), folder);

/** Pages of applications that others wrote, from npm: Cypress's own example, and an administration. */
const APPLICATIONS = {
  kitchensink: {
    root: folderOf("cypress-example-kitchensink", "app"),
    pages: [
      ...["todo", "utilities", "cypress-api", "commands/actions", "commands/aliasing"],
      ...["commands/assertions", "commands/misc", "commands/network-requests"],
      ...["commands/querying", "commands/storage", "commands/traversal", "commands/waiting"],
    ],
  },
  admin: {
    root: folderOf("startbootstrap-sb-admin", "dist"),
    pages: ["index", "login", "register", "password", "charts", "tables", "401"],
  },
} as const;
const PAGES = Object.entries(APPLICATIONS).flatMap(([name, { pages }]) =>
  pages.map((page) => `${name}/${page}.html`),
);
/** Of each kind of mutation, so many elements of a page. */
const EACH = size("HEALING_EACH", 1, 2);
/** The fewest mutations that must come about, so that a broken preparation is found. */
const LEAST = size("HEALING_LEAST", 50, 100);

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".css": "text/css",
  ".js": "text/javascript",
};

const withoutElsewhere = (html: string): string =>
  html
    .replaceAll(/<script\b[^>]*>[\s\S]*?<\/script>/g, "")
    .replaceAll(/<(?:link|img)\b[^>]*(?:src|href)="(?:https?:)?\/\/[^>]*>/g, "");

describe("healing on third-party pages", () => {
  let server: Server;
  let pool: BrowserPool;
  let opened: PooledContext;
  let page: Page;
  let base: string;
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const [, name = "", ...rest] =
        decodeURIComponent(request.url ?? "/")
          .split("?")[0]
          ?.split("/") ?? [];
      const root = name in APPLICATIONS ? APPLICATIONS[name as keyof typeof APPLICATIONS].root : "";
      const file = path.join(root, ...rest);
      const isThere = root !== "" && file.startsWith(root);
      const bytes = isThere ? await readFile(file).catch(() => null) : null;
      response.writeHead(bytes ? 200 : 404, {
        "content-type": TYPES[path.extname(file)] ?? "application/octet-stream",
      });
      // Scripts, and what an application fetches from elsewhere, have no part in it and would be waited for.
      response.end(file.endsWith(".html") ? withoutElsewhere(String(bytes)) : bytes);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    pool = openPool();
    opened = await pool.open();
    page = opened.page;
  });
  afterAll(async () => {
    await opened.release();
    await pool.close();
    server.close();
    server.closeAllConnections();
  });

  const open = (name: string) => page.goto(`${base}/${name}`, { waitUntil: "domcontentloaded" });
  const isFound = async (target: string, { purpose }: Subject): Promise<boolean> => {
    const seen = await look(page, parseTarget(target), purpose, true);
    return seen.kind === "some";
  };
  /** Elements spread over the page. */
  const spread = <Item>(items: readonly Item[], count: number): Item[] =>
    items.length <= count
      ? [...items]
      : Array.from(
          { length: count },
          (_, at) => items[Math.floor(((at + 0.5) * items.length) / count)] as Item,
        );

  test("finds most mutated elements on at least 10 pages, none wrong, and explains the rest", {
    timeout: 240_000,
  }, async () => {
    const counts = { healed: 0, wrong: 0, why: 0 };
    const of = Object.fromEntries(mutations.map((one) => [one, { healed: 0, why: 0, wrong: 0 }]));
    const pages = new Set<string>();
    const notes: string[] = [];
    let turn = 0;
    for (const name of PAGES) {
      await open(name);
      const subjects = await subjectsOf(page);
      for (const mutation of mutations) {
        const possible = subjects.filter((subject) => targetFor(mutation, subject) !== null);
        for (const subject of spread(possible, EACH)) {
          turn += 1;
          const target = targetFor(mutation, subject) ?? "";
          await open(name);
          if (!(await isFound(target, subject))) continue;
          const was = await takeFingerprint(page.locator(`css=${subject.path}`));
          if (!was) continue;
          await holdOn(page, subject.index);
          await mutate(page, mutation, turn);
          // What is found as before needs no healing.
          if (await isFound(target, subject)) continue;
          pages.add(name);
          const healed = await heal(page, subject.purpose, was, []);
          const one = of[mutation] ?? counts;
          if (typeof healed === "string") {
            expect(healed).not.toBe("");
            one.why += 1;
            counts.why += 1;
            notes.push(`${name} ${mutation} ${target}: ${healed}`);
          } else if (await healed.locator.evaluate(isIt)) {
            one.healed += 1;
            counts.healed += 1;
            expect(await isFound(healed.target, subject)).toBe(true);
          } else {
            one.wrong += 1;
            counts.wrong += 1;
            notes.push(`WRONG ${name} ${mutation} ${target} -> ${healed.target} ${healed.score}`);
          }
        }
      }
    }
    const all = counts.healed + counts.wrong + counts.why;
    console.info(
      `healing: ${all} mutations on ${pages.size} pages: ${JSON.stringify(counts)} ${JSON.stringify(of)}`,
    );
    if (process.env.HEALING_NOTES) console.info(notes.join("\n"));
    expect(notes.filter((note) => note.startsWith("WRONG"))).toEqual([]);
    expect(all).toBeGreaterThanOrEqual(LEAST);
    expect(pages.size).toBeGreaterThanOrEqual(10);
    expect(counts.healed / all).toBeGreaterThanOrEqual(0.8);
  });

  test("heals to nothing if the element was removed, also if a look-alike took its place", {
    timeout: 240_000,
  }, async () => {
    const wrong: string[] = [];
    let all = 0;
    for (const [at, name] of PAGES.entries()) {
      await open(name);
      for (const subject of spread(await subjectsOf(page), 4)) {
        for (const lookAlike of [false, true]) {
          await open(name);
          const was = await takeFingerprint(page.locator(`css=${subject.path}`));
          if (!was) continue;
          await holdOn(page, subject.index);
          await remove(page, lookAlike);
          all += 1;
          const healed = await heal(page, subject.purpose, was, []);
          if (typeof healed !== "string")
            wrong.push(
              `${at} ${name} ${lookAlike} ${subject.path} ${JSON.stringify(was.name)} -> ${healed.target} ${healed.score}`,
            );
        }
      }
    }
    console.info(`healing: ${all} removals, ${wrong.length} taken for something else`);
    expect(wrong).toEqual([]);
    expect(all).toBeGreaterThanOrEqual(100);
  });
});
