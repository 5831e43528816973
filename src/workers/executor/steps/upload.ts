import type { Locator } from "playwright";
import { StepError } from "../errors.ts";
import { type InPage, inPage } from "../inPage.ts";
import type { PerformStep, StepContext } from "./context.ts";
import { EFFECT_MS } from "./effects.ts";
import { onElement } from "./interactions.ts";
import { lookUntil, quoted } from "./polling.ts";

/** A page whose button asks for a file by itself does so at once. */
const CHOOSER_MS = 3_000;

/** A file as Playwright takes it. */
type Chosen = { readonly name: string; readonly mimeType: string; readonly buffer: Buffer };

/** The file field of an element: itself, its label's, or the only one inside of it. */
const FIELD = `((element) => {
  const isFile = (one) => one instanceof HTMLInputElement && one.type === "file";
  const labelled = [element, element.control ?? element.closest("label")?.control].find(isFile);
  if (labelled) return labelled;
  const inside = element.querySelectorAll("input[type=file]");
  return inside.length === 1 ? inside[0] : null;
})`;

const fieldOf = inPage<InPage<undefined, unknown>>(FIELD);

/** The names of the files that a field has. */
const filesOf = inPage<InPage<undefined, string[]>>(
  `(element) => Array.from(element.files ?? [], ({ name }) => name)`,
);

/** Whether an element takes what is dragged over it. */
const takesDrops = inPage<InPage<{ readonly name: string; readonly type: string }, boolean>>(
  `(element, { name, type }) => {
    const data = new DataTransfer();
    data.items.add(new File([], name, { type }));
    const over = (type) => !element.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, composed: true, dataTransfer: data }));
    over("dragenter");
    return over("dragover");
  }`,
);

type Dropped = { readonly name: string; readonly type: string; readonly base64: string };

/** Drops a file in the middle of an element; whether a handler took it, or else the browser would open the file. */
const dropFile = inPage<InPage<Dropped, boolean>>(`(element, { name, type, base64 }) => {
  const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], name, { type }));
  const box = element.getBoundingClientRect();
  const at = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 };
  return !element.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, composed: true, dataTransfer: data, ...at }));
}`);

/**
 * Gives the page a file of the project: by a file field or its label, by an area that takes drops, or by a button that
 * asks for a file. The field, or the handler of the drop, has the file afterwards.
 */
export const upload: PerformStep = async (context) => {
  const { step, files } = context;
  const file = await files(step.value);
  if (!file) throw new StepError(`The project of the test has no file ${quoted(step.value)}.`);
  const chosen = { name: step.value, mimeType: file.contentType, buffer: file.bytes };
  await onElement(context, "file", "give a file to", async (locator, timeout) => {
    const field = (await locator.evaluateHandle(fieldOf, undefined, { timeout })).asElement();
    if (field) {
      await field.setInputFiles(chosen, { timeout });
      return holdsFile(context, chosen.name, () => field.evaluate(filesOf, undefined));
    }
    const said = { name: chosen.name, type: chosen.mimeType };
    if (await locator.evaluate(takesDrops, said, { timeout })) {
      const dropped = { ...said, base64: chosen.buffer.toString("base64") };
      if (await locator.evaluate(dropFile, dropped, { timeout })) return;
      throw new StepError(`${step.target} did not take the file that was dropped on it.`);
    }
    await chooseBy(context, locator, chosen, timeout);
  });
};

const chooseBy = async (
  context: StepContext,
  locator: Locator,
  chosen: Chosen,
  timeout: number,
): Promise<void> => {
  const { page, step } = context;
  const asked = page.waitForEvent("filechooser", { timeout: Math.min(timeout, CHOOSER_MS) });
  const [chooser] = await Promise.allSettled([asked, locator.click({ timeout })]);
  if (chooser.status === "rejected") {
    throw new StepError(
      `${step.target} is no file field, takes no drop, and asks for no file when clicked.`,
    );
  }
  await chooser.value.setFiles(chosen, { timeout });
  const field = chooser.value.element();
  await holdsFile(context, chosen.name, () => field.evaluate(filesOf, undefined));
};

/** Pages that send a file at once empty its field: then nobody can tell whether the page kept the file. */
const holdsFile = async (
  context: StepContext,
  name: string,
  read: () => Promise<readonly string[]>,
): Promise<void> => {
  const wrong = await lookUntil<readonly string[]>(context, EFFECT_MS, async () => {
    const names = await read().catch((): readonly string[] => []);
    return names.includes(name) || names.length === 0 ? { ok: true } : { ok: false, actual: names };
  });
  if (wrong) {
    const held = wrong.actual.map(quoted).join(", ");
    throw new StepError(
      `${context.step.target} should have the file ${quoted(name)}, but it has ${held}.`,
    );
  }
  const names = await read().catch(() => []);
  if (names.length === 0) context.noted("the page emptied the field after it was given the file");
};
