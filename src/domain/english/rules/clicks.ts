import { rowsOf } from "./table.ts";

const command = rowsOf("Command");

/** Clicks, pointer and focus. */
export const clicks = [
  command(
    "<click> on|at|onto|upon|in|into? {elements}",
    "click elements -",
    'Click the "Sign in" button => click "Sign in" button',
    {
      again: [
        "{listed:elements} => click elements -",
        "on {elements} => click elements -",
        "select|choose|pick|selects|chooses|picks the? option? {option} option? => select $ option",
        "enter|type|input|write|enters|types|put <text>|<filler>? {bareValue:text} => fill $ text",
        "enter|type|input|write|enters|types <text>? {bareValue:text} <slowly> => type $ text",
      ],
    },
  ),
  command(
    "<closing> {place} by|via|through (Command:gerund)",
    "within@Command",
    'Close the "Hello" dialog by clicking "X" => click "X" in the "Hello" dialog',
    { cost: -0.3 },
  ),
  command(
    "<closing> {namedPlace:place} with|using|via|through|by_means_of its {control}",
    "click in:control:place -",
    'Close the "Hello" dialog using its "Close" button => click "Close" button in the "Hello" dialog',
    { cost: -0.5 },
  ),
  command(
    "<closing> {element:closed} with|using|via|through|by_means_of the|its? {control}",
    "click control -",
    'Close the "Hello" dialog with the "X" button => click "X" button',
    { cost: -0.2 },
  ),
  command(
    "<accept> <dialog> by clicking|pressing|tapping on? ok|yes|accept",
    "accept_dialog",
    null,
    { cost: -1 },
  ),
  command("<follow> {element}", "click element -", 'Follow the "Home" link => click "Home" link'),
  command(
    "<trigger> {element}",
    "click element -",
    'Expand the "Details" section => click "Details" section',
    { again: ["select|choose|pick the? option? {option} option? => select $ option"] },
  ),
  command(
    "<right> on|at? {element} ->|→|> {elements:entry}",
    "right_click element - ; click entry -",
    'Right click on "file.txt" -> Delete => right_click file.txt ; click Delete',
    { cost: -0.2 },
  ),
  // An open menu without a name narrows nothing down.
  command(
    "<choose> {choosable} from the menu|context_menu",
    "click choosable -",
    'Choose "Duplicate" from the menu => click Duplicate',
    { cost: -0.3 },
  ),
  command(
    "from the menu|context_menu ,? <choose> {choosable}",
    "click choosable -",
    'From the menu, select "Move" => click Move',
    { cost: -0.3 },
  ),
  command(
    "<choose> {choosable}",
    "click choosable -",
    'Choose "Express delivery" => click Express delivery',
    { again: ["{listed:choosable} => click choosable -"] },
  ),
  command(
    "<go> to|into|onto|over_to {part}",
    "click part -",
    "Go to the Billing tab => click Billing tab",
  ),
  command("<open> {part}", "click part -", 'Open the "File" menu => click "File" menu', {
    again: [
      "select|choose|pick|selects|chooses|picks the? option? {option} option? => select $ option",
    ],
  }),
  command("<open> {quoted}", "click quoted -", 'Open "Invoice 7" => click Invoice 7', {
    cost: 0.4,
  }),
  command(
    "switch|change|go|move|jump to {tabpart:part}",
    "click part -",
    'Switch to the "Reviews" tab => click "Reviews" tab',
  ),
  command(
    "<go> to|into? {path}",
    "click path -",
    "Go to Settings > Users => click Settings ; click Users",
  ),
  command(
    "<open> {path}",
    "click path -",
    "Open Settings > Users > Roles => click Settings ; click Users ; click Roles",
  ),
  command("<choose> {path}", "click path -", "Choose Tools > Import => click Tools ; click Import"),
  command("<click> on? {path}", "click path -", "Click File > New => click File ; click New"),
  command(
    "<double> on|at? {elements}",
    "double_click elements -",
    'Double-click "report.xlsx" => double_click report.xlsx',
  ),
  command(
    "<right> on|at? {elements}",
    "right_click elements -",
    'Right-click the "Invoices" folder => right_click "Invoices" folder',
  ),
  command(
    "<hover> over|on|onto|to|above|at? {elements}",
    "hover elements -",
    'Hover over "My account" => hover My account',
    { again: ["{listed:elements} => hover elements -", "over {elements} => hover elements -"] },
  ),
  command(
    "<focus> on|to|in|into|onto? {element}",
    "focus element -",
    "Focus the Email field => focus Email field",
    { again: ["enter|type|input|write|enters|types|put <text>? {bareValue:text} => fill $ text"] },
  ),
  command(
    "<drag> {element} to|onto|into|on|over|over_to|on_to|on_top_of|and_drop_it_on|and_drop_it_onto|and_drop_it_into|and_drop_it_in|and_drop_on {dropPlace:place}",
    "drag element place",
    'Drag "Card A" to "Done" => drag Card A ← Done',
  ),
  command(
    "<perform> a|an|the? click|tap|left_click|single_click on|at? {element}",
    "click element -",
    'Perform a click on "Save" => click Save',
  ),
  command(
    "<perform> a|an|the? right_click|right-click|context_click on|at? {element}",
    "right_click element -",
    'Perform a right click on the "Inbox" folder => right_click "Inbox" folder',
  ),
  command(
    "<perform> a|an|the? double_click|double-click|doubleclick on|at? {element}",
    "double_click element -",
    'Perform a double click on "Title" => double_click Title',
  ),
  command(
    "<open>|bring_up|show the? context_menu|context-menu|right-click_menu|right_click_menu of|on|for|from {element}",
    "right_click element -",
    'Open the context menu of the "Inbox" link => right_click "Inbox" link',
    { cost: -0.5 },
  ),
  command(
    "click|clicks twice|two_times on? {element}",
    "click element - ; click element -",
    'Click twice on the "Next" button => click "Next" button ; click "Next" button',
    { cost: -0.2 },
  ),
  command(
    "toggle|toggles {unticked:element}",
    "click element -",
    'Toggle "Dark mode" => click Dark mode',
  ),
  command(
    "put|place|set|position the? cursor|caret|text_cursor in|into|inside|on {element}",
    "focus element -",
    'Put the cursor in the "Email" field => focus "Email" field',
    { cost: -0.6 },
  ),
  command(
    "drag|drags|pull {element} from {quoted:old} and drop|drops it? on|onto|in|into|at {dropPlace:place}",
    "drag in:element:old place",
    null,
  ),
  command(
    "drop|drops {element} on|onto|in|into|at {dropPlace:place} by_dragging_it_there?",
    "drag element place",
    'Drop "Card" onto "Done" => drag Card ← Done',
    { cost: 0.2 },
  ),
  command(
    "{deed} by|via|through (Command:gerund)",
    "@Command",
    'Log out by clicking the "Log out" link => click "Log out" link',
    { cost: 0.3 },
  ),
  command(
    "<submitting> with|using|via|by_using the|its {button:element}",
    "click element -",
    'Save with the "Save guest" button => click "Save guest" button',
    { cost: 0.1 },
  ),
];
