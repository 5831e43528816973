import { BESIDE_PX } from "../../catalogue/values.ts";
import { DROP, FIELD_OF } from "../script/dropping.ts";
import type { Helper } from "../script/helpers.ts";

/** The code with which an exported script gives files and drops beside an element. */
export const dropping: readonly Helper[] = [
  {
    name: "giveFile",
    code: `const FIELD_OF = ${JSON.stringify(FIELD_OF)};
const DROP = ${JSON.stringify(DROP)};

/** To a file field, to an area that takes drops, or to a button that asks for a file. */
const giveFile = async (locator: Locator, path: string) => {
  const field = (await locator.evaluateHandle(FIELD_OF)).asElement();
  if (field) return field.setInputFiles(path);
  const { readFile } = await import("node:fs/promises");
  const base64 = (await readFile(path)).toString("base64");
  const taken = await locator.evaluate(DROP, { name: path.split("/").at(-1), base64 });
  if (taken === false) throw new Error("The file was dropped, and nothing took it");
  if (taken === true) return;
  const asked = locator.page().waitForEvent("filechooser");
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
