import type { Frame } from "playwright";
import { lookAt } from "./look.ts";
import type { View } from "./matching/ask.ts";

const ASK_MS = 1_000;

/** The frames in a page or frame that a person sees something of, those within them included. */
const framesIn = async (view: View): Promise<Frame[]> => {
  const direct = "mainFrame" in view ? view.mainFrame().childFrames() : view.childFrames();
  const shown = await Promise.all(
    direct.map(async (frame) => {
      const element = await frame.frameElement().catch(() => null);
      const box = (await element?.isVisible()) ? await element?.boundingBox() : null;
      return box && box.width > 2 && box.height > 2 ? [frame, ...(await framesIn(frame))] : [];
    }),
  );
  return shown.flat();
};

const nameOf = async (frame: Frame): Promise<string> => {
  const element = await frame.frameElement().catch(() => null);
  const title = await element?.getAttribute("title").catch(() => null);
  return title || frame.name() || (await frame.title().catch(() => "")) || frame.url();
};

/** The name of the first visible frame in which a person sees the target; null if there is none. */
export const frameWith = async (view: View, target: string): Promise<string | null> => {
  for (const frame of await framesIn(view).catch(() => [])) {
    const looked = lookAt(frame, target, "claim", true).catch(() => null);
    const late = new Promise<null>((resolve) => setTimeout(resolve, ASK_MS, null).unref());
    if ((await Promise.race([looked, late]))?.kind === "some") return nameOf(frame);
  }
  return null;
};
