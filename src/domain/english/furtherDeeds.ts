import { alone, CHOOSE, onTarget, PRESS, TYPE } from "./actVerbs.ts";
import { fill, isClearable, isFieldSaid, isFillable, keyed, select } from "./fillable.ts";
import type { Built, Form } from "./formTables.ts";
import { type Bindings, kindOfSlot } from "./slotTypes.ts";
import { text } from "./verbs.ts";
import { quote } from "./words.ts";

/** A text that says itself where it ends: quoted, or one word with a figure in it. */
const isSure = (slots: Bindings): boolean =>
  slots.value?.isQuoted === true || /^\S*\d\S*$/.test(text(slots, "value"));

/** What is typed where it is certain which is the text and which the field. */
const typed = (slots: Bindings): Built =>
  isSure(slots) &&
  isFillable(slots.target) &&
  (slots.target?.isQuoted || isFieldSaid(slots.target) || /^\p{Lu}/u.test(text(slots, "target")))
    ? fill(slots)
    : null;

const resize = (slots: Bindings): Built => ({ action: "set_viewport", value: text(slots, "size") });
const sized = (slots: Bindings): Built => ({
  action: "set_viewport",
  value: `${text(slots, "pixels")}x${text(slots, "count")}`,
});
const pressed = (slots: Bindings): Built => ({ action: "press", value: text(slots, "key") });

const WIDE =
  "make|makes|set|resize|shrink|enlarge|widen|bring|change the? window|viewport|browser|screen|browser_window to|to_be?";

/** The same, where an `and` does not divide. */
export const wholeFurtherDeeds: readonly Form[] = [
  {
    pattern: `${WIDE} {pixels:pixels} pixels|px? wide and {count:count} pixels|px? high|tall`,
    example: "Set the viewport to 1280x720",
    build: sized,
  },
  {
    pattern: `${WIDE} a? width of? {pixels:pixels} pixels|px? and a? height of? {count:count} pixels|px?`,
    example: "Set the viewport to 1280x720",
    build: sized,
  },
];

/** What is done, in ways that strangers were seen to say it. */
export const furtherDeeds: readonly Form[] = [
  {
    // `Enter the OTP 482913 into "One time password"`
    pattern: `${TYPE} the|a|an|your|my|their {name:name} {value:value} in|into|in_to|for {target:target}`,
    example: 'Type "ann" into Username',
    build: typed,
  },
  {
    pattern: `${TYPE} in|into {target:target} :? {value:quoted}`,
    example: 'Type "ann" into Username',
    build: (slots) =>
      /^search (?:bar|input)$/i.test(text(slots, "target")) || isFieldSaid(slots.target)
        ? fill(slots)
        : null,
  },
  {
    pattern:
      "run|rerun|re-run|reruns|execute|repeat|call the? {value:quoted} test|scenario|test_case first|again|now?",
    example: 'Run the test "Log in"',
    build: (slots) => ({ action: "call_test", target: text(slots, "value") }),
  },
  {
    pattern: `${TYPE} slowly the_text|text? {value:quoted} in|into|to {target:target}`,
    example: 'Type "par" into "City" key by key',
    build: keyed,
  },
  {
    pattern:
      "answer|answers|reply|replies|respond|responds with? {value:quoted} in|into|to|for {target:target}",
    example: 'Type "ann" into Username',
    build: (slots) => (isFieldSaid(slots.target) ? fill(slots) : null),
  },
  {
    pattern: `${TYPE} {value:quoted} below|beneath|underneath|next_to|beside|at {target:target}`,
    example: 'Type "ann" into Username',
    build: (slots) => (isFieldSaid(slots.target) ? fill(slots) : null),
  },
  {
    pattern:
      "search|searches|look_up|looks_up|query the? {value:quoted} in|using|with|via|through|by|from {target:target}",
    example: 'Type "ann" into Username',
    build: (slots) => (isFieldSaid(slots.target) ? fill(slots) : null),
  },
  {
    pattern: "search|look for {value:quoted} via|through|by|inside|from {target:target}",
    example: 'Type "ann" into Username',
    build: (slots) => (isFieldSaid(slots.target) ? fill(slots) : null),
  },
  {
    pattern:
      "update|updates|change|changes|edit|edits|adjust|alter|rewrite|amend|correct {target:target} so_that_it_says|so_it_says|to_read|to_say|to_be|so_that_it_reads|so_it_reads|into {value:quoted}",
    example: 'Set Quantity to "3"',
    build: (slots) =>
      isFieldSaid(slots.target) ||
      (slots.target?.isQuoted === true && kindOfSlot(slots.target) === null)
        ? fill(slots)
        : null,
  },
  {
    pattern:
      "change|changes|update|updates|edit|edits|adjust|adjusts|set|sets {target:target} from {pair:value} to {value:value}",
    example: 'Set Quantity to "3"',
    build: (slots) => {
      const isPair = slots.pair?.isQuoted || /^\S*\d\S*$|^\p{Lu}\S*$/u.test(text(slots, "pair"));
      if (
        !isPair ||
        !(slots.value?.isQuoted || /^\S*\d\S*$|^\p{Lu}\S*$/u.test(text(slots, "value")))
      )
        return null;
      const kind = kindOfSlot(slots.target);
      if (kind === "dropdown") return select(slots);
      return kind === null || kind === "field" ? fill(slots) : null;
    },
  },
  {
    pattern:
      "delete|deletes|clear|clears|remove|removes|erase|erases whatever|what|everything|everything_that is_currently|is|stands|has_been_typed|is_written|was|was_typed? in|into|inside|from {target:target}",
    example: 'Clear the "Email" field',
    build: (slots) => (isClearable(slots.target) ? onTarget("clear")(slots) : null),
  },
  {
    pattern:
      "wipe|wipes|wipe_out|empty_out|empties_out|blank|clean_out|clean {target:target} clean|out?",
    example: 'Clear the "Email" field',
    build: (slots) => (isClearable(slots.target) ? onTarget("clear")(slots) : null),
  },
  {
    pattern: `${CHOOSE} {value:quoted} as|for the|a|an|your|my? {target:target}`,
    example: 'Select "Canada" from the Country dropdown',
    build: (slots) =>
      kindOfSlot(slots.target) === "dropdown" || kindOfSlot(slots.target) === null
        ? select(slots)
        : null,
  },
  {
    pattern: `for|under|at|beside|next_to {target:target} ,? ${CHOOSE} {value:quoted}`,
    example: 'Select "Canada" from the Country dropdown',
    build: (slots) =>
      slots.target?.isQuoted && kindOfSlot(slots.target) === null ? select(slots) : null,
  },
  {
    pattern: `set|sets|change|changes|switch|switches the? {other:target} to {value:quoted} in|using|with|via|from {target:target}`,
    example: 'Select "Canada" from the Country dropdown',
    build: (slots) =>
      slots.other?.isQuoted
        ? null
        : kindOfSlot(slots.target) === "dropdown"
          ? select(slots)
          : isFieldSaid(slots.target)
            ? fill(slots)
            : null,
  },
  {
    pattern: `${CHOOSE} the? date|day|time|month|year {value:quoted} in|into|for|from|as|on {target:target}`,
    example: 'Type "ann" into Username',
    build: (slots) =>
      kindOfSlot(slots.target) === "dropdown"
        ? select(slots)
        : isFieldSaid(slots.target)
          ? fill(slots)
          : null,
  },
  {
    pattern: `use|take|try|test|test_on|test_with|view_it_on|run|run_on|start_with|work_with|work_on|continue_on|continue_with|check_on with|on|at|in? a|an|the? mobile|tablet|desktop|small|large|narrow|wide? viewport|screen|window|resolution|browser_window|screen_size|window_size|viewport_size of|size_of|with|that_is|at? {size:size}`,
    example: "Set the viewport to 1280x720",
    build: resize,
  },
  {
    pattern:
      "test|test_it|test_this|run|run_this|view|view_it|try|do_this|do_it on|with|as a|an|the? {size:size}",
    example: 'Set the viewport to "iPhone 13"',
    build: resize,
  },
  {
    pattern:
      "shrink|enlarge|widen|narrow|reduce|bring|size the|my|your? browser's|browser? window|viewport|screen|browser|page size? down|up? to {size:size}",
    example: "Set the viewport to 1280x720",
    build: resize,
  },
  {
    pattern:
      "compare|compares|match {target:target} with|to|against the|its? baseline|reference|snapshot|baseline_image|reference_image {name:name}",
    example: 'Visual check of the "Header" section',
    build: (slots) =>
      slots.target?.isQuoted
        ? { action: "visual_check", target: text(slots, "target"), value: text(slots, "name") }
        : null,
  },
  {
    pattern: "tab out|away|off of_it|of_the_field|from_it|from_the_field?",
    example: "Press Tab",
    build: () => ({ action: "press", value: "Tab" }),
  },
  {
    pattern:
      "submit|submits|confirm|confirms|finish|send|blur|leave|complete|commit it|the_form|the_search|the_field|this|the_input|the_query|that? with|using|via|by_hitting|by_pressing|by_means_of the|a? {key:key}",
    example: "Press Enter",
    build: (slots) => (slots.key?.isQuoted ? null : pressed(slots)),
  },
  {
    pattern: `${PRESS}|hit|hits|strike|strikes|use the? {key:key} on_the_keyboard|on_your_keyboard|on_keyboard|once|one_time`,
    example: "Press Enter",
    build: (slots) => (slots.key?.isQuoted ? null : pressed(slots)),
  },
  {
    pattern: `${PRESS}|hit|hits|use|click the|your? browser|browser's back|back_button|back_arrow`,
    example: "Go back",
    build: alone("go_back"),
  },
  {
    pattern: `${PRESS}|hit|hits|use|click the|your? browser|browser's forward|forward_button|forward_arrow`,
    example: "Go forward",
    build: alone("go_forward"),
  },
  {
    pattern: `${PRESS}|hit|hits|use|click the|your? browser|browser's refresh|reload|refresh_button|reload_button`,
    example: "Reload the page",
    build: alone("reload"),
  },
  {
    // What is only called a kind of the product is opened by a click on its name.
    pattern:
      "open|opens|enter|go_into|go_to|show|pull_up|bring_up|click_into|select|choose|pick the? {value:quoted} folder|category|project|board|channel|conversation|thread|album|playlist|document|record|entry|ticket|task|tile|card|order|product|article|chapter|lesson|course|event|tag|filter|day|slot|team|profile",
    example: 'Click the "Sign in" button',
    build: (slots) => ({ action: "click", target: quote(text(slots, "value")) }),
  },
  {
    pattern:
      "open|opens|select|choose|pick the? folder|category|project|board|channel|conversation|thread|album|playlist|record|entry|ticket|task|tile|order|product|article|chapter|lesson|course|event|team {value:quoted}",
    example: 'Click the "Sign in" button',
    build: (slots) => ({ action: "click", target: quote(text(slots, "value")) }),
  },
  {
    pattern:
      "click|clicks|tap|press|hit|choose|select|pick {target:target} there|in_there|in_it|from_there",
    example: 'Click the "Sign in" button',
    build: (slots) =>
      slots.target?.isQuoted && kindOfSlot(slots.target) !== null ? onTarget("click")(slots) : null,
  },
  {
    pattern: "a|one|another single|simple? click|tap|press on|of {target:target}",
    example: 'Click the "Sign in" button',
    build: onTarget("click"),
  },
  {
    pattern: "a|one|another double_click|double-click|doubleclick on {target:target}",
    example: 'Double-click the "readme.md" row',
    build: onTarget("double_click"),
  },
  {
    pattern: "a|one|another right_click|right-click|rightclick on {target:target}",
    example: 'Right-click the "report.pdf" row',
    build: onTarget("right_click"),
  },
  {
    pattern: "give|gives {target:target} a|one|another click|tap|press|quick_click|single_click",
    example: 'Click the "Sign in" button',
    build: onTarget("click"),
  },
  {
    pattern: "give|gives {target:target} a|one double_click|double-click",
    example: 'Double-click the "readme.md" row',
    build: onTarget("double_click"),
  },
  {
    pattern: "give|gives {target:target} a|one right_click|right-click",
    example: 'Right-click the "report.pdf" row',
    build: onTarget("right_click"),
  },
  {
    pattern:
      "the? page|screen|view|whole_page|layout should_look_like|looks_like|must_look_like|should_look_the_same_as|looks_the_same_as|should_equal|looks_identical_to the? baseline|baseline_image|reference|snapshot|screenshot? {name:quoted}",
    example: 'Visual check of the page called "home"',
    build: (slots) => ({ action: "visual_check", value: text(slots, "name") }),
  },
  {
    pattern:
      "take|takes|make|capture|grab|save a|the|another? screenshot|screen_shot|snapshot named|called|titled|as {name:name} of|showing {target:target}",
    example: 'Take a screenshot called "home"',
    build: (slots) =>
      kindOfSlot(slots.target) === null
        ? null
        : { action: "screenshot", target: text(slots, "target"), value: text(slots, "name") },
  },
  {
    pattern: "search|searches for {value:quoted} in|within the? {target:target}",
    example: 'Type "ann" into Username',
    build: (slots) => (isFieldSaid(slots.target) ? fill(slots) : null),
  },
];
