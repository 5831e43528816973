import type { Findings, Place } from "../imported.ts";
import type { Spot } from "./locatorCalls.ts";
import { targetOfParts } from "./locators.ts";

/** Tracks the current tab and frame of a test. */
export type Tabs = {
  here(): Spot;
  /** The spot of a step on the page of a tab: the current frame if that is the current tab. */
  onPageOf(tab: number): Spot;
  /** Whether only the first tab is open. */
  isOne(): boolean;
  /** Registers a tab that opens and returns its spot. */
  opened(): Spot;
  /** Adds the steps that switch to a tab and frame. */
  goTo(spot: Spot, place: Place): void;
};

/** The page of a tab. Tabs count from 0. */
export const tabSpot = (tab: number): Spot => ({ tab, frames: [], parts: [] });

export const createTabs = (findings: Findings): Tabs => {
  let tabs = 1;
  let here: Spot = tabSpot(0);
  /** The tab that opened last, until a step switches to it. */
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
