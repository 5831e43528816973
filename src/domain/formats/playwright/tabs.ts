import type { Findings, Place } from "../imported.ts";
import type { Spot } from "./locatorCalls.ts";
import { targetOfParts } from "./locators.ts";

/** In which tab and frame a test is, as far as it was read. */
export type Tabs = {
  here(): Spot;
  /** Where a step about the page of a tab takes place: in the frame that the test is in, if it is in that tab. */
  onPageOf(tab: number): Spot;
  /** Whether no tab was opened besides the first. */
  isOne(): boolean;
  /** A tab that opens: it may need its time. */
  opened(): Spot;
  /** Goes to the tab and into the frame that a step is about. */
  goTo(spot: Spot, place: Place): void;
};

/** The page of a tab, from 0. */
export const tabSpot = (tab: number): Spot => ({ tab, frames: [], parts: [] });

/** A test begins in its first tab. */
export const createTabs = (findings: Findings): Tabs => {
  let tabs = 1;
  let here: Spot = tabSpot(0);
  /** The tab that opened last and was not gone to yet. */
  let fresh: number | null = null;
  return {
    here: () => here,
    onPageOf: (tab) => ({ ...here, tab, ...(tab === here.tab ? {} : { frames: [] }) }),
    isOne: () => tabs === 1,
    opened: () => {
      fresh = tabs;
      tabs += 1;
      return tabSpot(fresh);
    },
    goTo: (spot, place) => {
      if (spot.tab !== here.tab) {
        findings.step(place, {
          action: "switch_tab",
          target: spot.tab === fresh ? "last" : `${spot.tab + 1}`,
        });
        fresh = null;
        here = tabSpot(spot.tab);
      }
      const wanted = spot.frames.map(targetOfParts);
      if (wanted.join("\n") === here.frames.map(targetOfParts).join("\n")) return;
      if (here.frames.length > 0) findings.step(place, { action: "switch_frame" });
      for (const target of wanted) findings.step(place, { action: "switch_frame", target });
      here = { ...spot, parts: [] };
    },
  };
};
