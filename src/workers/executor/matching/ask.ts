import { randomUUID } from "node:crypto";
import type { CDPSession, Frame, Locator, Page, Selectors } from "playwright";
import { openSession } from "../askPage.ts";
import type { Candidate } from "../candidates.ts";
import { StepError } from "../errors.ts";
import { ENGINE } from "./engine.ts";
import type { Purpose, Sought } from "./sought.ts";

/** The page, or the frame of it, that a test looks at. */
export type View = Page | Frame;

/** A look in the page. `isThorough` also reads texts that styles put in. */
export type Asked = {
  readonly sought: Sought;
  readonly purpose: Purpose;
  readonly isThorough?: boolean;
};

/** A box in CSS pixels of the visible part of the page. */
export type Box = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/** The text that a person reads in an element, with and without the gaps that only styles make, and as the page wrote it. */
export type Said = {
  readonly text: string;
  readonly tight: string;
  readonly source: string;
  readonly lang: string;
};

/** The result of a look. `isUnclear`: the place of the target is not there, or could be several things. */
export type Answer =
  | { readonly kind: "none"; readonly reason: string | null; readonly isUnclear: boolean }
  | {
      readonly kind: "some";
      readonly count: number;
      /** The name was found as a part of a longer one. */
      readonly isPart: boolean;
      readonly way: string;
      /** Reservations about the match: a link drawn as a button. */
      readonly notes: readonly string[];
      readonly box: Box;
      /** The text of the element; only for the purpose `read`. */
      readonly said?: Said;
      /** Of several, the first six in a line each. */
      readonly outlines: readonly string[];
    };

const ENGINE_NAME = "runledger";
/** The name of the engine in a document: pages cannot guess it. */
const KEY = `runledger ${randomUUID()}`;
const INSTALLED = `globalThis[${JSON.stringify(KEY)}]`;

/** The engine as one of Playwright's: an answer is the text of an element that is in no page. */
const SELECTOR_ENGINE = `(() => {
  const queryAll = (root, body) => {
    const engine = (${INSTALLED} ??= ${ENGINE});
    const { call, ...asked } = JSON.parse(body);
    if (!call) {
      const seen = engine.look(asked, root);
      return seen.kind === "some" ? seen.items.map(({ element }) => element) : [];
    }
    const said = document.createElement("div");
    said.textContent = JSON.stringify(engine[call](asked, root));
    return [said];
  };
  return { queryAll, query: (root, body) => queryAll(root, body)[0] };
})()`;

let registered: Promise<void> | null = null;

/** Makes the engine known to Playwright, once in a process and before the first page is opened. */
export const registerEngine = (selectors: Selectors): Promise<void> => {
  registered ??= selectors.register(
    ENGINE_NAME,
    { content: SELECTOR_ENGINE },
    { contentScript: true },
  );
  return registered;
};

/** The elements that a look finds, looked for anew each time that they are used. */
export const locatorOf = (view: View, asked: Asked): Locator =>
  view.locator(`${ENGINE_NAME}=${JSON.stringify(asked)}`);

const ANSWER_MS = 2_000;

/** The answer of a function of the engine, as JSON. Rejects when the page cannot be asked. */
const askEngine = async <Said>(
  view: View,
  call: "answer" | "nearby",
  asked: Asked,
): Promise<Said> => {
  const session = "context" in view ? await openSession(view) : null;
  if (session) return askApart(session, `ENGINE.${call}(${JSON.stringify(asked)}, document)`);
  const said = view.locator(`${ENGINE_NAME}=${JSON.stringify({ ...asked, call })}`);
  return JSON.parse((await said.textContent({ timeout: ANSWER_MS })) ?? "") as Said;
};

/** Elements that a person could have meant instead of a target that is not there. */
export type Nearby = {
  /** The page has the target, and does not show it. */
  readonly isHidden: boolean;
  /** The page draws the text, and nobody can read it. */
  readonly isUnread: boolean;
  /** The name of the modal dialog that is open, empty if it has none; null if none is open. */
  readonly dialog: string | null;
  readonly things: readonly Candidate[];
  /** Controls without a name, and how a target writes them. */
  readonly nameless: readonly { readonly kind: string; readonly hint: string }[];
};

const NOTHING_NEARBY: Nearby = {
  isHidden: false,
  isUnread: false,
  dialog: null,
  things: [],
  nameless: [],
};

/** The elements of the page besides a target; none when the page does not answer. */
export const askNearby = (view: View, asked: Asked): Promise<Nearby> =>
  askEngine<Nearby>(view, "nearby", asked).catch(() => NOTHING_NEARBY);

/** Looks once. Rejects when the page cannot be asked; throws StepError for a selector that cannot be read. */
export const askMatching = async (view: View, asked: Asked): Promise<Answer> => {
  try {
    return await askEngine<Answer>(view, "answer", asked);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const problem =
      /(?:SyntaxError|not a valid (?:selector|XPath)|'[^']*' is not a valid)[^\n]*/.exec(message);
    if (problem) throw new StepError(`The selector cannot be read: ${problem[0]}`);
    throw error;
  }
};

/** Whether the page shows that it is at work, and a mark that is the same as long as its contents are. */
export const askRest = async (
  view: View,
): Promise<{ readonly isBusy: boolean; readonly mark: string }> => {
  const session = "context" in view ? await openSession(view) : null;
  if (session) return askApart(session, "ENGINE.restOf()");
  return { isBusy: false, mark: String(await view.evaluate("document.body?.textContent.length")) };
};

/** Where scripts of ours run in a page's document, apart from its own. */
type World = { readonly frameId: string; readonly contextId: number };
const worlds = new WeakMap<CDPSession, World>();

/*
 * Another process counts its contexts anew, and the number may be that of a frame there: only where the engine is
 * installed is the context ours.
 */
/** The value of a call of the engine in the page's document, where its own scripts cannot come between. */
const askApart = async <Value>(session: CDPSession, call: string): Promise<Value> => {
  const body = call.replace(/^ENGINE/, INSTALLED);
  const known = worlds.get(session);
  if (known) {
    const asked = await evaluate<Value>(session, known, `${INSTALLED} ? [${body}] : []`).catch(
      notGone,
    );
    if (asked && asked.length > 0) return asked[0] as Value;
  }
  const world = await openWorld(session, known?.frameId ?? null);
  const [value] = await evaluate<Value>(session, world, `(${INSTALLED} ??= ${ENGINE}, [${body}])`);
  return value as Value;
};

/** A document that has just gone is asked anew; an error of the engine is one. */
const notGone = (error: unknown): null => {
  if (error instanceof EngineError) throw error;
  return null;
};

class EngineError extends Error {}

const evaluate = async <Value>(
  session: CDPSession,
  { contextId }: World,
  expression: string,
): Promise<readonly Value[]> => {
  const params = { expression, contextId, returnByValue: true };
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", params);
  if (exceptionDetails) {
    throw new EngineError(exceptionDetails.exception?.description ?? exceptionDetails.text);
  }
  return result.value as readonly Value[];
};

const openWorld = async (session: CDPSession, known: string | null): Promise<World> => {
  const frameId = known ?? (await session.send("Page.getFrameTree")).frameTree.frame.id;
  const asked = { frameId, worldName: "runledger" };
  const { executionContextId } = await session.send("Page.createIsolatedWorld", asked);
  const world = { frameId, contextId: executionContextId };
  worlds.set(session, world);
  return world;
};
