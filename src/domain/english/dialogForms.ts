import { alone } from "./actVerbs.ts";
import type { Built, Form } from "./formTables.ts";
import { text } from "./verbs.ts";

const ADJECTIVE =
  "browser|browser's|native|system|javascript|js|confirmation|confirm|alert|prompt|popup|pop-up";
/** What the browser itself opens; a page's own dialogs are elements. */
const DIALOG =
  "alert|alerts|alertbox|alert_box|confirm|confirmbox|confirm_box|confirmation|prompt|promptbox|prompt_box|dialog|dialogue|popup|pop-up|alert_dialog|confirm_dialog|prompt_dialog|alert_popup|message_box";
const OWN =
  "alert|alertbox|alert_box|confirm|confirmbox|confirm_box|prompt|promptbox|prompt_box|alert_dialog|prompt_dialog|confirm_dialog|browser_dialog|browser_alert|javascript_alert|native_dialog|native_alert|confirmation_alert";

/** What a button of such a dialog does. */
const answered = (said: string): Built => {
  if (/^(?:ok|okay|yes)$/i.test(said)) return { action: "accept_dialog" };
  if (/^(?:cancel|no)$/i.test(said)) return { action: "dismiss_dialog" };
  return { doubt: "A dialog of the browser is accepted or dismissed." };
};

/** What is the browser's own by what stands before it, whatever it is called. */
const NATIVE =
  "browser|browser's|native|javascript|js|system|browser_confirm|browser_confirmation|browser's_confirmation|browser's_confirm|native_confirmation|native_confirm|javascript_confirm|javascript_confirmation|js_confirm|js_confirmation|browser's_own";
const PRESS = "click|clicks|press|presses|tap|choose|select|hit";

/** The answers to what the browser itself opens. */
export const dialogForms: readonly Form[] = [
  {
    pattern: `accept|accepts|confirm|confirms the|this|that|a|an|any? ${ADJECTIVE}? ${DIALOG}`,
    example: "Accept the dialog",
    build: alone("accept_dialog"),
  },
  {
    pattern: `click|clicks|press|presses|tap|choose|select|hit ok|okay|yes|accept button? in|on|of|inside|to the|a? ${ADJECTIVE}? ${OWN}`,
    example: "Accept the dialog",
    build: alone("accept_dialog"),
  },
  {
    pattern: `click|clicks|press|presses|tap|choose|select|hit {value:quoted} button? in|on|of|inside the|a? ${ADJECTIVE}? ${OWN}`,
    example: "Accept the dialog",
    build: (slots) => answered(text(slots, "value")),
  },
  {
    pattern: `${PRESS} ok|okay|yes|accept button? in|on|of|inside|at the|a? ${NATIVE} ${DIALOG}`,
    example: "Accept the dialog",
    build: alone("accept_dialog"),
  },
  {
    pattern: `${PRESS} cancel|no button? in|on|of|inside|at the|a? ${NATIVE} ${DIALOG}`,
    example: "Dismiss the dialog",
    build: alone("dismiss_dialog"),
  },
  {
    pattern: `${PRESS} {value:quoted} button? in|on|of|inside|at the|a? ${NATIVE} ${DIALOG}`,
    example: "Accept the dialog",
    build: (slots) => answered(text(slots, "value")),
  },
  {
    pattern: `in|on the|a? ${ADJECTIVE}? ${OWN} ,? ${PRESS} ok|okay|yes|accept button?`,
    example: "Accept the dialog",
    build: alone("accept_dialog"),
  },
  {
    pattern: `confirm|accept|close|acknowledge|answer the|this|that|an? ${ADJECTIVE}? ${OWN} by_clicking|by_pressing|by_hitting|by_tapping|with the? ok|okay|yes button?`,
    example: "Accept the dialog",
    build: alone("accept_dialog"),
  },
  {
    pattern: `dismiss|close|answer|cancel the|this|that|an? ${ADJECTIVE}? ${OWN} by_clicking|by_pressing|by_hitting|by_tapping|with the? cancel|no button?`,
    example: "Dismiss the dialog",
    build: alone("dismiss_dialog"),
  },
  {
    pattern: `ok|okay|acknowledge the|this|that? ${ADJECTIVE}? ${OWN}`,
    example: "Accept the dialog",
    build: alone("accept_dialog"),
  },
  {
    pattern: `dismiss|dismisses|cancel|cancels|reject|decline the|this|that|a|an|any? ${ADJECTIVE}? ${DIALOG}`,
    example: "Dismiss the dialog",
    build: alone("dismiss_dialog"),
  },
  {
    pattern: `click|clicks|press|presses|tap|choose|select|hit cancel|no button? in|on|of|inside the|a? ${ADJECTIVE}? ${OWN}`,
    example: "Dismiss the dialog",
    build: alone("dismiss_dialog"),
  },
  {
    pattern: `answer|answers|give {value:quoted} to|in the? ${ADJECTIVE}? prompt|prompt_dialog`,
    example: 'Answer the prompt with "Ann"',
    build: (slots) => ({ action: "accept_dialog", value: text(slots, "value") }),
  },
  {
    pattern: `answer|answers|respond_to|reply_to|accept|accepts the|a? ${ADJECTIVE}? prompt|promptbox|prompt_box|dialog|prompt_dialog with|by_entering|by_typing the_text|text|the_answer|answer|the_value|value|the_input|the_name? {value:value}`,
    example: 'Answer the prompt with "Ann"',
    build: (slots) => ({ action: "accept_dialog", value: text(slots, "value") }),
  },
  {
    pattern: `type|enter|enters|write|put|types|input {value:value} into|in the? ${ADJECTIVE}? prompt|promptbox|prompt_box|prompt_dialog`,
    example: 'Answer the prompt with "Ann"',
    build: () => ({
      doubt: "Say whether the prompt is accepted: answer the prompt with the text.",
    }),
  },
];

/** The same, where an `and` does not divide. */
export const wholeDialogForms: readonly Form[] = [
  {
    pattern: `in|into the? ${ADJECTIVE}? prompt|promptbox|prompt_box|prompt_dialog ,? type|enter|enters|write|put|types|input {value:value} ,? and click|press|hit|tap|choose the? ok|okay|enter button|key?`,
    example: 'Answer the prompt with "Ann"',
    build: (slots) => ({ action: "accept_dialog", value: text(slots, "value") }),
  },
  {
    pattern: `in|into the? ${ADJECTIVE}? prompt|promptbox|prompt_box|prompt_dialog ,? type|enter|enters|write|put|types|input {value:value} ,? and accept|accepts|confirm|confirms|submit it|the_prompt|the_dialog?`,
    example: 'Answer the prompt with "Ann"',
    build: (slots) => ({ action: "accept_dialog", value: text(slots, "value") }),
  },
  {
    pattern: `answer|answers|respond_to|fill_in the|a? ${ADJECTIVE}? prompt|promptbox|prompt_box|dialog|prompt_dialog with the_text|text? {value:value} ,? and accept|accepts|confirm|confirms|submit|press_ok|click_ok it|the_prompt|the_dialog?`,
    example: 'Answer the prompt with "Ann"',
    build: (slots) => ({ action: "accept_dialog", value: text(slots, "value") }),
  },
  {
    pattern: `type|enter|enters|write|put|types|input|answer|give {value:value} into|in|to|at the? ${ADJECTIVE}? prompt|promptbox|prompt_box|prompt_dialog ,? and accept|accepts|confirm|confirms|submit it|the_prompt|the_dialog|the_prompt_dialog?`,
    example: 'Answer the prompt with "Ann"',
    build: (slots) => ({ action: "accept_dialog", value: text(slots, "value") }),
  },
  {
    pattern: `type|enter|enters|write|put|types|input {value:value} into|in the? ${ADJECTIVE}? prompt|promptbox|prompt_box|prompt_dialog ,? and click|press|hit|tap the? ok|okay|enter button|key?`,
    example: 'Answer the prompt with "Ann"',
    build: (slots) => ({ action: "accept_dialog", value: text(slots, "value") }),
  },
  {
    pattern: `type|enter|enters|write|put|types|input {value:value} into|in the? ${ADJECTIVE}? prompt|promptbox|prompt_box|prompt_dialog ,? and click|press|hit|tap the? {name:quoted} button?`,
    example: 'Answer the prompt with "Ann"',
    build: (slots) =>
      /^ok(?:ay)?$/i.test(text(slots, "name"))
        ? { action: "accept_dialog", value: text(slots, "value") }
        : null,
  },
];
