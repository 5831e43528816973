import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { assertNever } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";
import { browserName } from "../runs/verdict.ts";
import { type Picture, pictureSchema, viewportText } from "./picture.ts";
import { defaultVisualSettings, type VisualSettings, visualSettings } from "./settings.ts";

// ---------------------------------------------------------------- Events

/** Key of a baseline: step, browser and viewport (steps.md). */
const placeSchema = z.object({
  stepId: z.uuid(),
  browser: browserName,
  viewport: viewportText,
});
export type Place = z.output<typeof placeSchema>;

const on = { testId: z.uuid(), ...placeSchema.shape };
/** A picture and the execution that took it. */
const shown = { ...on, picture: pictureSchema, executionId: z.uuid() };

const schemas = {
  BaselineProposed: z.object(shown),
  BaselineApproved: z.object(shown),
  BaselineRejected: z.object(shown),
  BaselineRemoved: z.object(on),
  BaselineSettingsChanged: z.object({ testId: z.uuid(), settings: visualSettings }),
};

export type BaselineEvent = EventOf<typeof schemas>;

// ---------------------------------------------------------------- State

/** A picture with the execution that took it. */
export type Shown = { readonly picture: Picture; readonly executionId: string };

export type Baseline = Place & {
  /** The picture to compare with; null until one is approved. */
  readonly approved: Shown | null;
  /** The newest picture that differs from the approved one; null if there is nothing to review. */
  readonly proposed: Shown | null;
};

/** The baselines of a test by place. */
export type Baselines = {
  readonly places: ReadonlyMap<string, Baseline>;
  readonly settings: VisualSettings;
  /** Number of events in the stream. Runs pin it. */
  readonly version: number;
};

export const placeKey = ({ stepId, browser, viewport }: Place): string =>
  `${stepId} ${browser} ${viewport}`;

export const baselineAt = (state: Baselines, place: Place): Baseline =>
  state.places.get(placeKey(place)) ?? { ...placeOf(place), approved: null, proposed: null };

const placeOf = ({ stepId, browser, viewport }: Place): Place => ({ stepId, browser, viewport });

// ---------------------------------------------------------------- evolve

export const evolve = (state: Baselines, event: BaselineEvent): Baselines => {
  const version = state.version + 1;
  if (event.type === "BaselineSettingsChanged") {
    return { ...state, settings: event.data.settings, version };
  }
  const places = new Map(state.places);
  const key = placeKey(event.data);
  if (event.type === "BaselineRemoved") places.delete(key);
  else places.set(key, { ...baselineAt(state, event.data), ...changeOf(event) });
  return { ...state, places, version };
};

type Change = Exclude<BaselineEvent, { type: "BaselineRemoved" | "BaselineSettingsChanged" }>;

const changeOf = (event: Change): Partial<Baseline> => {
  const { picture, executionId } = event.data;
  switch (event.type) {
    case "BaselineProposed":
      return { proposed: { picture, executionId } };
    case "BaselineApproved":
      return { approved: { picture, executionId }, proposed: null };
    case "BaselineRejected":
      return { proposed: null };
    default:
      return assertNever(event);
  }
};

// ---------------------------------------------------------------- Commands

export type PlacedPicture = Place & Shown;

export type BaselineCommand = { readonly testId: string } & (
  | ({ readonly type: "propose" } & PlacedPicture)
  | { readonly type: "approve"; readonly pictures: readonly PlacedPicture[] }
  /** Rejects the proposals that show these pictures, or with `null` all. */
  | { readonly type: "reject"; readonly pictures: readonly PlacedPicture[] | null }
  | { readonly type: "remove"; readonly place: Place }
  | { readonly type: "changeSettings"; readonly settings: VisualSettings }
);

// ---------------------------------------------------------------- decide

export const decide = (command: BaselineCommand, state: Baselines): readonly BaselineEvent[] => {
  const { testId } = command;
  switch (command.type) {
    case "propose": {
      const { approved, proposed } = baselineAt(state, command);
      const known = [approved, proposed].some((one) => isSame(one, command));
      return known ? [] : [{ type: "BaselineProposed", data: shownAs(testId, command) }];
    }
    case "approve":
      return command.pictures.flatMap((one): BaselineEvent[] => {
        const { approved, proposed } = baselineAt(state, one);
        if (proposed === null && isSame(approved, one)) return [];
        return [{ type: "BaselineApproved", data: shownAs(testId, one) }];
      });
    case "reject":
      return [...state.places.values()].flatMap((place): BaselineEvent[] => {
        const { proposed } = place;
        if (proposed === null || !isAmong(command.pictures, { ...place, ...proposed })) return [];
        return [{ type: "BaselineRejected", data: shownAs(testId, { ...place, ...proposed }) }];
      });
    case "remove":
      return state.places.has(placeKey(command.place))
        ? [{ type: "BaselineRemoved", data: { testId, ...placeOf(command.place) } }]
        : [];
    case "changeSettings": {
      const { settings } = command;
      if (JSON.stringify(settings) === JSON.stringify(state.settings)) return [];
      return [{ type: "BaselineSettingsChanged", data: { testId, settings } }];
    }
    default:
      return assertNever(command);
  }
};

/** A later execution that takes the proposed picture again makes no proposal of its own: the picture counts. */
const isAmong = (pictures: readonly PlacedPicture[] | null, one: PlacedPicture): boolean =>
  pictures?.some((other) => placeKey(other) === placeKey(one) && isSame(other, one)) ?? true;

const isSame = (one: Shown | null, other: Shown): boolean =>
  one?.picture.sha256 === other.picture.sha256;

const shownAs = (testId: string, shown: PlacedPicture) => ({
  testId,
  ...placeOf(shown),
  picture: shown.picture,
  executionId: shown.executionId,
});

export const baselineDecider: Decider<Baselines, BaselineCommand, BaselineEvent> = {
  category: "baseline",
  initial: { places: new Map(), settings: defaultVisualSettings, version: 0 },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
