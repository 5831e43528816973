import { rowsOf } from "./table.ts";

const command = rowsOf("Command");

/** Window, tabs, frames and dialogs. */
export const windows = [
  command(
    "emulate|set|use the|a|an? device? to|as? {device:size}",
    "set_viewport - size",
    "Emulate an iPhone 13 => set_viewport ← iPhone 13",
    { cost: -0.5 },
  ),
  command(
    "<set> <viewport> size? to|as|at|=? a|the? size? of? {size}",
    "set_viewport - size",
    "Set the viewport to 390x844 => set_viewport ← 390x844",
  ),
  command("use a? <viewport> size? of {size}", "set_viewport - size"),
  command(
    "<change_to> to|into|over_to|back_to the? {nth:tab} <tab> of_the_browser|in_the_browser?",
    "switch_tab tab -",
    "Switch to the second browser tab => switch_tab 2",
  ),
  command(
    "<change_to> to|into the? new|newly_opened|newest|new_browser|newly-opened|last|other|latest|just_opened <tab>",
    "switch_tab =last -",
    "Switch to the new tab => switch_tab last",
  ),
  command("<change_to> back_to|back to? the? <tab> number? {number:tab}", "switch_tab tab -"),
  command(
    "<change_to> to|into|over_to the? tab {quoted:tab}",
    "switch_tab tab -",
    'Switch to the tab "Invoice 88" => switch_tab Invoice 88',
  ),
  command(
    "<change_to> to|into the? <tab> number? {number:tab}",
    "switch_tab tab -",
    "Switch to tab 2 => switch_tab 2",
  ),
  command(
    "<change_to> to|into the? <tab> titled|called|named|with_title|with_the_title|that_is_titled {quoted:tab}",
    "switch_tab tab -",
    'Switch to the tab titled "Help" => switch_tab Help',
  ),
  command(
    "<change_to> to|into the? browser_tab|browser_window|window {quoted:tab}",
    "switch_tab tab -",
  ),
  command(
    "<change_to> to|into the? {quoted:tab} browser_tab|browser_window|window",
    "switch_tab tab -",
    'Switch to the "Help" browser tab => switch_tab Help',
  ),
  command(
    "<change_to> back|back_over to the? previous|original|main|old|earlier|initial|other|first_browser|original_browser <tab>",
    "switch_tab - -",
    "Switch back to the previous tab => switch_tab",
  ),
  command(
    "<change_to> to|into|inside|within|in? {frame}",
    "switch_frame frame -",
    'Switch to the "Payment" frame => switch_frame "Payment" frame',
  ),
  command(
    "<change_to> to the? frame|iframe {literal:frame}",
    "switch_frame frame -",
    "Switch to the frame `2` => switch_frame 2",
  ),
  command("<change_to> back|out from|of the? iframe|frame", "switch_frame - -"),
  command(
    "in|inside|within {frame} , (Command)",
    "switch_frame frame - ; @Command",
    'Within the iframe "editor", type "Hi" into "Body" => switch_frame iframe "editor" ; fill Body ← Hi',
    { cost: -0.2 },
  ),
  command(
    "<change_to> back|out to|of|into <main>",
    "switch_frame - -",
    "Switch back to the main page => switch_frame",
  ),
  command("<change_to> to <mainOnly>", "switch_frame - -"),
  command(
    "leave|exit|exits|leaves the? frame|iframe",
    "switch_frame - -",
    "Leave the iframe => switch_frame",
  ),
  command("<accept> <dialog>", "accept_dialog", "Accept the alert => accept_dialog"),
  command("click|press|tap|hit ok|yes in|on <dialog>", "accept_dialog", null),
  command(
    "click|press|tap|hit|choose|select cancel|no|dismiss in|on <native>",
    "dismiss_dialog",
    "Click Cancel in the confirm dialog => dismiss_dialog",
    { cost: -0.6 },
  ),
  command("click|press|tap|hit|choose|select {cancel} in|on <native>", "dismiss_dialog", null, {
    cost: -0.6,
  }),
  command(
    "click|press|tap|hit|choose|select ok|yes|accept in|on <native>",
    "accept_dialog",
    "Click OK in the alert => accept_dialog",
    { cost: -0.6 },
  ),
  command(
    "<accept> <dialog> with|by ok|accept|yes|the_ok_button",
    "accept_dialog",
    "Confirm the browser alert with OK => accept_dialog",
    { cost: -1.2 },
  ),
  command("<dismiss> <dialog>", "dismiss_dialog", "Dismiss the dialog => dismiss_dialog"),
  command(
    "<answer> <prompt> with|: {text}",
    "accept_dialog - text",
    'Answer the prompt with "Ann" => accept_dialog ← Ann',
  ),
  command(
    "<fill> {quoted:text} into|in|to <promptOnly> and click|press|hit|clicks|tap|select|choose on? ok|accept|submit",
    "accept_dialog - text",
    'Enter "Ann" in the prompt and click OK => accept_dialog ← Ann',
    { cost: -1.5 },
  ),
  command(
    "<fill> {quoted:text} into|in|to <promptOnly> and click|press|hit|clicks|tap {confirm}",
    "accept_dialog - text",
    null,
    { cost: -1.5 },
  ),
  command(
    "in <promptOnly> type|enter|write {quoted:text} and click|press|hit ok|accept",
    "accept_dialog - text",
    null,
    { cost: -1.5 },
  ),
  command(
    "<fill> {quoted:text} into|in|to <promptOnly> and <accept> it?",
    "accept_dialog - text",
    'Enter "Draft" into the prompt and accept it => accept_dialog ← Draft',
    { cost: -0.5 },
  ),
  command(
    "<change_to> to|into the? iframe|frame {selector:frame}",
    "switch_frame frame -",
    "Switch to iframe #card => switch_frame #card",
  ),
  command(
    "have|has|use|using a|an|the? screen|window|browser|viewport|browser_window that_is|of|with_a_size_of|of_size|with_size? {size}",
    "set_viewport - size",
    "I have a screen that is 1024 by 768 pixels => set_viewport ← 1024x768",
    { cost: -0.6 },
  ),
  command(
    "use|using a|an|the? {device:size} <viewport>?",
    "set_viewport - size",
    'Use an "iPhone 13" viewport => set_viewport ← iPhone 13',
    { cost: -0.4 },
  ),
  command(
    "<viewport> :|=? {size}",
    "set_viewport - size",
    "Viewport 360x640 => set_viewport ← 360x640",
  ),
  command(
    "<accept> the? alertbox|confirmbox|alert_popup|popup",
    "accept_dialog",
    "I accept the alertbox => accept_dialog",
  ),
  command(
    "<dismiss> the? alertbox|confirmbox|promptbox|alert_popup|popup|pop-up",
    "dismiss_dialog",
    "Dismiss the popup => dismiss_dialog",
  ),
  command(
    "<accept> <promptOnly> with {quoted:text}",
    "accept_dialog - text",
    'Accept the prompt with "Ann" => accept_dialog ← Ann',
    { cost: -0.2 },
  ),
  command(
    "<answer> <prompt> with|: {text} and <accept> it?",
    "accept_dialog - text",
    'Answer the prompt with "Q" and confirm => accept_dialog ← Q',
    { cost: -0.3 },
  ),
  command(
    "<change_to> back? to the? original|main|previous|old|initial|parent window|browser_window",
    "switch_tab - -",
    "Switch to the original window => switch_tab",
  ),
  command(
    "in the? new? browser? tab|window titled|called|named {quoted:tab} , (Command)",
    "switch_tab tab - ; @Command",
    null,
    { cost: -0.2 },
  ),
  command(
    "on|with|using a|an|the? {device:size}",
    "set_viewport - size",
    "On an iPhone 13, open /menu => set_viewport ← iPhone 13 ; navigate ← /menu",
    { cost: 0.1 },
  ),
  command(
    "with|in|on <viewport> at|of|set_to? {size}",
    "set_viewport - size",
    "With the browser at 1440x900, open /a => set_viewport ← 1440x900 ; navigate ← /a",
    { cost: 0.1 },
  ),
  command(
    "<answer> {quoted:text} in|into|to <promptOnly>",
    "accept_dialog - text",
    'Answer "W" in the prompt => accept_dialog ← W',
    { cost: -0.3 },
  ),
  command(
    "<answer> {quoted:text} in|into|to <promptOnly> and <accept> it?",
    "accept_dialog - text",
    'Answer "W" in the prompt and accept it => accept_dialog ← W',
    { cost: -0.6 },
  ),
  command(
    "<close> the? modal|modal_dialog|dialog_box|modal_window|lightbox|drawer",
    'click ="Close"_in_the_dialog -',
    'Close the modal => click "Close" in the dialog',
  ),
];
