import type { Form } from "./formTables.ts";
import { kindOfSlot } from "./slotTypes.ts";
import { BE, CONTAIN, claim, HAVE, NOT_BE, SHOW } from "./verbs.ts";

const OPENED = new Set(["dialog", "menu", "dropdown", "alert", "tooltip"]);
const UNFOLDED = new Set([...OPENED, "section", "form", "list", "tabpanel"]);

/** What state an element is in: open, on, enabled, ticked. */
export const stateClaims: readonly Form[] = [
  {
    pattern: `the|a|an? alertbox|alert_box|confirmbox|confirm_box|promptbox|prompt_box|javascript_alert|browser_alert|native_alert ${CONTAIN}|${SHOW}|${HAVE}|${BE}|says|should_say the? text? {value:value}`,
    example: "Accept the dialog",
    build: () => ({
      doubt: "What a dialog of the browser says is not looked at: accept or dismiss it.",
    }),
  },
  {
    pattern: "{target:target} can_be_clicked|should_be_able_to_be_clicked|is_able_to_be_clicked",
    example: 'The "Save" button should be enabled',
    build: claim("assert_enabled"),
  },
  {
    pattern:
      "{target:target} cannot_be_clicked|can't_be_clicked|can_not_be_clicked|is_unclickable|should_not_be_clickable|is_not_clickable|isn't_clickable",
    example: 'The "Save" button should be disabled',
    build: claim("assert_disabled"),
  },
  {
    pattern: `{target:target} ${BE} open|opened|closed|dismissed`,
    example: 'The "Settings" dialog should be visible',
    build: (slots) =>
      OPENED.has(kindOfSlot(slots.target) ?? "")
        ? null
        : { doubt: "Only dialogs and menus are open or closed: say visible or hidden." },
  },
  {
    pattern: `{target:target} ${BE} open|opened|open_again`,
    example: 'The "Settings" dialog should be visible',
    build: (slots) =>
      OPENED.has(kindOfSlot(slots.target) ?? "") ? claim("assert_visible")(slots) : null,
  },
  {
    pattern: `{target:target} ${BE} closed|dismissed|not_open|no_longer_open`,
    example: 'The "Settings" dialog should be hidden',
    build: (slots) =>
      OPENED.has(kindOfSlot(slots.target) ?? "") ? claim("assert_hidden")(slots) : null,
  },
  {
    pattern:
      "{target:target} opens|pops_up|should_open|should_pop_up|shows_up|is_opened|slides_in|expands",
    example: 'The "Settings" dialog should be visible',
    build: (slots) =>
      UNFOLDED.has(kindOfSlot(slots.target) ?? "") ? claim("assert_visible")(slots) : null,
  },
  {
    pattern: "{target:target} closes|should_close|is_closed_again|collapses|slides_out",
    example: 'The "Settings" dialog should be hidden',
    build: (slots) =>
      UNFOLDED.has(kindOfSlot(slots.target) ?? "") ? claim("assert_hidden")(slots) : null,
  },
  {
    pattern: `{target:target} ${BE} on|turned_on|switched_on|toggled_on|activated`,
    example: 'The "Dark mode" switch should be checked',
    build: (slots) =>
      ["switch", "checkbox"].includes(kindOfSlot(slots.target) ?? "")
        ? claim("assert_checked")(slots)
        : { doubt: "Only a switch or a checkbox is on: say that it is one." },
  },
  {
    pattern: `{target:target} ${BE} off|turned_off|switched_off|toggled_off|deactivated`,
    example: 'The "Dark mode" switch should be unchecked',
    build: (slots) =>
      ["switch", "checkbox"].includes(kindOfSlot(slots.target) ?? "")
        ? claim("assert_unchecked")(slots)
        : { doubt: "Only a switch or a checkbox is off: say that it is one." },
  },
  {
    pattern: `{target:target} ${NOT_BE} selected|chosen|picked`,
    example: 'The "Express" radio button should be unchecked',
    build: (slots) =>
      ["radio", "checkbox"].includes(kindOfSlot(slots.target) ?? "")
        ? claim("assert_unchecked")(slots)
        : { doubt: "Only a radio button is known to be selected: say that it is one." },
  },
  ...(
    [
      [
        "enabled",
        "enabled|not_disabled|clickable|editable|active",
        "disabled|greyed_out|grayed_out|inactive",
      ],
      ["disabled", "disabled|not_enabled|greyed_out|grayed_out", "enabled"],
      ["checked", "checked|ticked|not_unchecked|not_unticked", "unchecked|unticked"],
      ["unchecked", "unchecked|unticked|not_checked|not_ticked", "checked|ticked"],
    ] as const
  ).flatMap(([word, positive, negative]): Form[] => [
    {
      pattern: `{target:target} ${BE} ${positive.replace("|active", "")}`,
      example: `The "Save" button should be ${word}`,
      build: claim(`assert_${word}`),
    },
    {
      pattern: `{target:target} ${NOT_BE} ${negative.replace("|inactive", "")}`,
      example: `The "Save" button should be ${word}`,
      build: claim(`assert_${word}`),
    },
  ]),
  {
    // A tab that is active is shown; a button that becomes so can be clicked.
    pattern: "{target:target} becomes|become|should_become|to_become|turns|should_turn active",
    example: 'The "Save" button should be enabled',
    build: (slots) =>
      ["button", "link", "field", "checkbox", "dropdown"].includes(kindOfSlot(slots.target) ?? "")
        ? claim("assert_enabled")(slots)
        : null,
  },
  {
    pattern: `{target:target} ${BE} selected|chosen|picked`,
    example: 'The "Express" radio button should be selected',
    build: (slots) =>
      ["radio", "checkbox"].includes(kindOfSlot(slots.target) ?? "")
        ? claim("assert_checked")(slots)
        : {
            doubt:
              "Only a radio button is known to be selected: say so, or the value of a dropdown.",
          },
  },
];
