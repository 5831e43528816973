import type { Built, Form } from "./formTables.ts";
import type { Bindings } from "./slotTypes.ts";
import { text } from "./verbs.ts";

const SIZE =
  "viewport|viewport_size|window_size|screen_size|browser_size|browser_window_size|screen|window|browser|browser_window|page_size|resolution|screen_resolution|viewport_dimensions";

const pixels =
  (sign: "" | "-") =>
  (slots: Bindings): Built => {
    const given = text(slots, "pixels");
    const bare = given.replace(/^[+]/, "");
    const value = sign === "-" && !bare.startsWith("-") ? `-${bare}` : bare;
    return { action: "scroll", target: text(slots, "target"), value };
  };

const scrollTo =
  (value: string) =>
  (slots: Bindings): Built =>
    !slots.target?.isQuoted && /^[\d.]+ ?(?:px|pixels|%)?$/.test(text(slots, "target"))
      ? { doubt: "Say how far down or up: scroll down 500 pixels." }
      : { action: "scroll", target: text(slots, "target"), value };

/** The size of the page, and what of it is looked at. */
export const screenForms: readonly Form[] = [
  {
    pattern: `set|sets|change|changes|resize|resizes|adjust|make|switch the|my|a|your? browser|page|browser's? ${SIZE} size|dimensions|resolution? to|as|at {size:size}`,
    example: "Set the viewport to 1280x720",
    build: (slots) => ({ action: "set_viewport", value: text(slots, "size") }),
  },
  {
    pattern: `set|sets|change|resize the|my? browser's|browser? ${SIZE} size? {size:size}`,
    example: "Set the viewport to 1280x720",
    build: (slots) => ({ action: "set_viewport", value: text(slots, "size") }),
  },
  {
    pattern: `use|uses|emulate|emulates|with|have|has|simulate a|an|the? ${SIZE} size? of|with|that_is|set_to|=? {size:size}`,
    example: "Set the viewport to 1280x720",
    build: (slots) => ({ action: "set_viewport", value: text(slots, "size") }),
  },
  {
    pattern: `use|uses|emulate|emulates|set|simulate a|an|the? {size:size} ${SIZE}|device size?`,
    example: 'Set the viewport to "iPhone 13"',
    build: (slots) => ({ action: "set_viewport", value: text(slots, "size") }),
  },
  {
    pattern: `the|a|an|my? browser|mobile|desktop|tablet|small|large? ${SIZE} size|width_and_height? is|of|set_to|is_set_to|resized_to|is_resized_to|:|=|with? {size:size}`,
    example: "Set the viewport to 1280x720",
    build: (slots) => ({ action: "set_viewport", value: text(slots, "size") }),
  },
  {
    pattern:
      "open|opens|launch|view|views|load the|this? app|application|site|website|page|browser on|with|in|at a|an? {size:size}",
    example: 'Set the viewport to "iPhone 13"',
    build: (slots) => ({ action: "set_viewport", value: text(slots, "size") }),
  },
  {
    pattern:
      "set|sets|change|changes|switch the? device|emulated_device|browser to a|an|the? {size:size}",
    example: 'Set the viewport to "iPhone 13"',
    build: (slots) => ({ action: "set_viewport", value: text(slots, "size") }),
  },
  {
    pattern: "emulate|emulates|simulate|use|uses the? device|device: {size:size}",
    example: 'Set the viewport to "iPhone 13"',
    build: (slots) => ({ action: "set_viewport", value: text(slots, "size") }),
  },
  {
    pattern: "emulate|emulates|simulate a|an|the? {size:size}",
    example: 'Set the viewport to "iPhone 13"',
    build: (slots) => ({ action: "set_viewport", value: text(slots, "size") }),
  },
  {
    pattern:
      "scroll|scrolls all_the_way|down|up|back|back_up|back_down|all_the_way_down|all_the_way_up? to the? very? bottom|end of_the_page|of_page|of_the_screen|of_this_page?",
    example: "Scroll to the bottom of the page",
    build: scrollTo("bottom"),
  },
  {
    pattern:
      "scroll|scrolls all_the_way|down|up|back|back_up|back_down|all_the_way_down|all_the_way_up? to the? very? top|start|beginning of_the_page|of_page|of_the_screen|of_this_page?",
    example: "Scroll to the top of the page",
    build: scrollTo("top"),
  },
  {
    pattern: "scroll|scrolls the_page|the_window|page|window? down|downwards? by? {pixels:pixels}",
    example: "Scroll by 500 pixels",
    build: pixels(""),
  },
  {
    pattern:
      "scroll|scrolls the_page|the_window|page|window? down|downwards? by? {pixels:pixels} pixels|px",
    example: "Scroll by 500 pixels",
    build: pixels(""),
  },
  {
    pattern: "scroll|scrolls the_page|the_window|page|window? up|upwards by? {pixels:pixels}",
    example: "Scroll up 200 pixels",
    build: pixels("-"),
  },
  {
    pattern:
      "scroll|scrolls the|down_the? page|window|screen down? to the|its? very? bottom|end of_the_page?",
    example: "Scroll to the bottom of the page",
    build: scrollTo("bottom"),
  },
  {
    pattern:
      "scroll|scrolls the|up_the? page|window|screen back|up? to the|its? very? top|start of_the_page?",
    example: "Scroll to the top of the page",
    build: scrollTo("top"),
  },
  {
    pattern: "scroll|scrolls by? {pixels:pixels} pixels|px? down|downwards the_page|the_window?",
    example: "Scroll by 500 pixels",
    build: pixels(""),
  },
  {
    pattern: "scroll|scrolls by? {pixels:pixels} pixels|px? up|upwards the_page|the_window?",
    example: "Scroll up 200 pixels",
    build: pixels("-"),
  },
  {
    pattern: "scroll|scrolls {target:target} to the|its bottom|end",
    example: 'Scroll the "Orders" table to its bottom',
    build: scrollTo("bottom"),
  },
  {
    pattern: "scroll|scrolls {target:target} to the|its top|start",
    example: 'Scroll the "Orders" table to its top',
    build: scrollTo("top"),
  },
  {
    pattern: "scroll|scrolls {target:target} down? by {pixels:pixels}",
    example: 'Scroll the "Orders" table by 300 pixels',
    build: pixels(""),
  },
  {
    pattern: "scroll|scrolls {target:target} down? by {pixels:pixels} pixels|px",
    example: 'Scroll the "Orders" table by 300 pixels',
    build: pixels(""),
  },
  {
    pattern:
      "scroll|scrolls the_page? down|up|back_up? until|till the? page|screen contains|shows|displays the? text? {target:target}",
    example: 'Scroll to the "Reviews" section',
    build: (slots) => (slots.target?.isQuoted ? scrollTo("")(slots) : null),
  },
  {
    pattern:
      "scroll|scrolls the_page? down|up|back_up? until|till i|you|we|the_user? see|can_see {target:target}",
    example: 'Scroll to the "Reviews" section',
    build: scrollTo(""),
  },
  {
    pattern:
      "scroll|scrolls the_page? down|up|back_up? the_page? to|until|till {target:target} is_visible|is_in_view|appears|comes_into_view|is_displayed|is_shown|is_in_the_viewport",
    example: 'Scroll to the "Reviews" section',
    build: scrollTo(""),
  },
  {
    pattern: "scroll|scrolls all_the_way|fully|completely down",
    example: "Scroll to the bottom of the page",
    build: scrollTo("bottom"),
  },
  {
    pattern: "scroll|scrolls all_the_way|fully|completely|back up",
    example: "Scroll to the top of the page",
    build: scrollTo("top"),
  },
  {
    pattern: "scroll|scrolls the_page? down|up|back_up? to {target:target}",
    example: 'Scroll to the "Reviews" section',
    build: (slots) => {
      if (
        /^(?:bottom|top|end|page)\b|\bis\b/i.test(text(slots, "target")) &&
        !slots.target?.isQuoted
      )
        return null;
      return scrollTo("")(slots);
    },
  },
  {
    pattern: "scroll|scrolls|bring|brings {target:target} into view|the_view|the_viewport|viewport",
    example: 'Scroll the "Reviews" section into view',
    build: scrollTo(""),
  },
];
