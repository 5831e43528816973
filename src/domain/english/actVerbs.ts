import type { Built } from "./formTables.ts";
import type { Bindings } from "./slotTypes.ts";
import { text } from "./verbs.ts";

// The ways to say one deed, as alternatives of a pattern.
export const TYPE =
  "type|types|enter|enters|input|inputs|write|writes|put|puts|key_in|keys_in|type_in|insert|inserts|paste|pastes|enter_in|supply|supplies|provide|provides|specify|specifies|send_keys|sends_keys";
export const FILL =
  "fill|fills|fill_in|fills_in|fill_out|fills_out|fill_up|complete|completes|populate";
export const CHOOSE = "select|selects|choose|chooses|pick|picks";
export const CLICK =
  "click|clicks|click_on|clicks_on|tap|taps|tap_on|taps_on|left-click|left_click|left-click_on|left_click_on|click_in|click_into|click_inside|clicks_in|single-click|single_click|perform_a_click_on|do_a_click_on|perform_click_on|make_a_click_on";
export const PRESS = "press|presses|press_on|push|pushes";
export const GO =
  "go|goes|head_over|heads_over|hop_over|hops_over|jump_over|jumps_over|nav|navigate|navigates|browse|browses|head|heads|proceed|proceeds|return|returns|move|land|surf";
export const OPEN =
  "open|opens|visit|visits|load|loads|launch|launches|access|accesses|open_up|hit_up|request|view|views";
export const USE = "click|clicks|press|presses|hit|hits|use|uses|push|tap";

/** A step that needs neither target nor value. */
export const alone = (action: string) => (): Built => ({ action });

/** A step that is done to the target. */
export const onTarget =
  (action: string) =>
  (slots: Bindings): Built => ({ action, target: text(slots, "target") });

/** A step that is done to the target with the value. */
export const both = (action: string, slots: Bindings): Built => ({
  action,
  target: text(slots, "target"),
  value: text(slots, "value"),
});
