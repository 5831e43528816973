import { onTarget } from "./actVerbs.ts";
import { isTitle } from "./chosenAlone.ts";
import { TICKED } from "./fillable.ts";
import type { Form } from "./formTables.ts";
import { type Bindings, kindOfSlot } from "./slotTypes.ts";
import { text } from "./verbs.ts";

/** What is on or off: a checkbox, a switch, an option that is named, or a name with quotes or a capital. */
const isSetting = ({ target }: Bindings): boolean => {
  const kind = kindOfSlot(target);
  if (kind !== null && TICKED.has(kind)) return true;
  const find = target?.target?.find;
  const isNamed = target?.isQuoted || isTitle(target?.text ?? "");
  if (find?.by === "kind") return find.kind === "option" && find.name !== null && isNamed === true;
  return find?.by === "name" && isNamed === true;
};

/** What is ticked and unticked, turned on and off. */
export const tickForms: readonly Form[] = [
  {
    pattern:
      "remove|removes|clear|clears the|a? tick|check|check_mark|checkmark|tick_mark from|in|of {target:target}",
    example: 'Untick "Newsletter"',
    build: onTarget("uncheck"),
  },
  {
    pattern: "deselect|deselects|unselect|unselects|de-select {target:target}",
    example: 'Untick "Newsletter"',
    build: (slots) =>
      TICKED.has(kindOfSlot(slots.target) ?? "")
        ? onTarget("uncheck")(slots)
        : { doubt: "Only a checkbox or a switch is known to be unticked: say that it is one." },
  },
  {
    pattern: "enable|enables|activate|activates {target:target}",
    example: 'Turn on the "Dark mode" switch',
    build: (slots) =>
      isSetting(slots)
        ? onTarget("check")(slots)
        : { doubt: "Only a checkbox or a switch is turned on: say that it is one." },
  },
  {
    pattern: "disable|disables|deactivate|deactivates {target:target}",
    example: 'Turn off the "Dark mode" switch',
    build: (slots) =>
      isSetting(slots)
        ? onTarget("uncheck")(slots)
        : { doubt: "Only a checkbox or a switch is turned off: say that it is one." },
  },
  {
    // Which of its two states it comes to is not said.
    pattern: "toggle|toggles|flip|flips {target:target}",
    example: 'Click the "Sign in" button',
    build: (slots) =>
      slots.target?.isQuoted && kindOfSlot(slots.target) === null ? onTarget("click")(slots) : null,
  },
  {
    pattern: "turn|turns|switch|switches|toggle|toggles {target:target} on",
    example: 'Turn on the "Dark mode" switch',
    build: onTarget("check"),
  },
  {
    pattern: "turn|turns|switch|switches|toggle|toggles {target:target} off",
    example: 'Turn off the "Dark mode" switch',
    build: onTarget("uncheck"),
  },
  {
    pattern: "mark|marks {target:target} as_checked|as_ticked|as_selected",
    example: 'Tick "I agree"',
    build: onTarget("check"),
  },
  {
    pattern: "mark|marks {target:target} as_unchecked|as_unticked",
    example: 'Untick "Newsletter"',
    build: onTarget("uncheck"),
  },
  {
    pattern: "clear|clears|unmark {target:target}",
    example: 'Untick "Newsletter"',
    build: (slots) =>
      TICKED.has(kindOfSlot(slots.target) ?? "") ? onTarget("uncheck")(slots) : null,
  },
  {
    pattern: "mark|marks {target:target}",
    example: 'Tick "I agree"',
    build: (slots) =>
      TICKED.has(kindOfSlot(slots.target) ?? "") ? onTarget("check")(slots) : null,
  },
  {
    pattern:
      "put|puts|place a|the? tick|check|check_mark|checkmark|tick_mark in|into|on|next_to {target:target}",
    example: 'Tick "I agree"',
    build: onTarget("check"),
  },
  {
    pattern: "check|checks the {target:target}",
    example: 'Tick "I agree"',
    build: (slots) => {
      const isCertain = slots.target?.isQuoted || kindOfSlot(slots.target) !== null;
      const said = text(slots, "target");
      const isPage = /^(?:url|title|page|address|page title)$/i.test(said);
      return !isPage && (isCertain || said !== said.toLowerCase())
        ? null
        : { doubt: "Say tick, or what it should be: visible, enabled, its text." };
    },
  },
  {
    pattern: "check|checks|tick|ticks|check_off|tick_off {target:target}",
    example: 'Tick "I agree"',
    build: onTarget("check"),
  },
  {
    pattern: "uncheck|unchecks|untick|unticks|un-check|un-tick {target:target}",
    example: 'Untick "Newsletter"',
    build: onTarget("uncheck"),
  },
  {
    pattern: "turn|turns|switch|switches|toggle|toggles on {target:target}",
    example: 'Turn on the "Dark mode" switch',
    build: onTarget("check"),
  },
  {
    pattern: "turn|turns|switch|switches|toggle|toggles off {target:target}",
    example: 'Turn off the "Dark mode" switch',
    build: onTarget("uncheck"),
  },
];
