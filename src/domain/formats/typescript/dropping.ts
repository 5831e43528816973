import { BESIDE_PX } from "../../catalogue/values.ts";
import type { Helper } from "../script/helpers.ts";

/** The code with which an exported script gives files and drops beside an element. */
export const dropping: readonly Helper[] = [
  {
    name: "giveFile",
    code: `/** The file field of an element: itself, its label's, or the only one inside of it. */
const fieldOf = (element: any) => {
  const isFile = (one: any) => one instanceof HTMLInputElement && one.type === "file";
  const labelled = [element, element.control ?? element.closest("label")?.control].find(isFile);
  const inside = element.querySelectorAll("input[type=file]");
  return labelled ?? (inside.length === 1 ? inside[0] : null);
};

/** Drops a file: whether the element took it, or null if it takes no drops. */
const drop = (element: any, { name, base64 }: { name: string; base64: string }) => {
  const data = new DataTransfer();
  data.items.add(new File([Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))], name));
  const isTaken = (type: string) =>
    !element.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, composed: true, dataTransfer: data }));
  isTaken("dragenter");
  return isTaken("dragover") ? isTaken("drop") : null;
};

/** To a file field, to an area that takes drops, or to a button that asks for a file. */
const giveFile = async (locator: Locator, path: string) => {
  const field = (await locator.evaluateHandle(fieldOf)).asElement();
  if (field) return field.setInputFiles(path);
  const { readFile } = await import("node:fs/promises");
  const base64 = (await readFile(path)).toString("base64");
  const taken = await locator.evaluate(drop, { name: path.split("/").at(-1) ?? path, base64 });
  if (taken === false) throw new Error("The file was dropped, and nothing took it");
  if (taken === true) return;
  const asked = locator.page().waitForEvent("filechooser", { timeout: TIMEOUT });
  await locator.click();
  await (await asked).setFiles(path);
};`,
  },
  {
    name: "dragBeside",
    code: `const dragBeside = async (locator: Locator, anchor: Locator, side: string) => {
  await locator.scrollIntoViewIfNeeded();
  const [from, to] = [await locator.boundingBox(), await anchor.boundingBox()];
  if (!from || !to) throw new Error("There is nothing to see of what is dragged or dropped beside");
  const far = ${BESIDE_PX};
  const x = side === "left" ? to.x - far : side === "right" ? to.x + to.width + far : to.x + to.width / 2;
  const y = side === "above" ? to.y - far : side === "below" ? to.y + to.height + far : to.y + to.height / 2;
  const { mouse } = locator.page();
  await mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await mouse.down();
  await mouse.move(x, y, { steps: 5 });
  await mouse.up();
};`,
  },
];
