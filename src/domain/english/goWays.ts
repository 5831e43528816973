import { alone, GO, OPEN, TYPE } from "./actVerbs.ts";
import type { Form } from "./formTables.ts";
import type { Bindings } from "./slotTypes.ts";
import { text } from "./verbs.ts";

const navigate = (slots: Bindings) => ({ action: "navigate", value: text(slots, "url") });
const resize = (slots: Bindings) => ({ action: "set_viewport", value: text(slots, "size") });

const AREA = "page|screen|view|site|form";
const BROWSER =
  "browser|new_browser|browser_window|new_browser_window|web_browser|new_window|new_tab|new_browser_tab";
const IN_IT =
  "in_a_new_browser_window|in_a_new_window|in_a_browser_window|in_firefox|in_chrome|in_safari|in_edge|in_the_web_browser|in_an_incognito_window|in_a_private_window";
const WINDOW =
  "window|browser_window|browser|viewport|screen|page|browser's_window|browser_viewport|window_size|viewport_size|app_window";

/** Where one goes, and what is done with the browser itself, in more ways than most people say it. */
export const goWays: readonly Form[] = [
  {
    pattern: `${GO}|jump|jumps|continue|continues|switch|switches|come|take_me|take_the_user|send_me|step over|across|ahead|on|back|directly|straight|forward? to the? ${AREA}|url|address? {url:url} ${AREA}|url|address?`,
    example: 'Go to "/login"',
    build: navigate,
  },
  {
    pattern: `${GO}|${OPEN} to? : the|url|page? {url:url}`,
    example: 'Go to "/login"',
    build: navigate,
  },
  {
    pattern: `${GO} to the|our? app|application|site|website|web_app|shop|store|portal at|under|on|via|via_the_url {url:url}`,
    example: 'Go to "/login"',
    build: navigate,
  },
  {
    pattern: `start|starts|begin|begins|starting|beginning|start_off|start_out at|on|from|with|in the? ${AREA}|url? {url:url} ${AREA}?`,
    example: 'Go to "/login"',
    build: navigate,
  },
  {
    pattern: `${OPEN} the|a|your|my? ${BROWSER} at|on|with|to|and_go_to|and_navigate_to|and_open|and_visit|with_the_url {url:url}`,
    example: "Open https://example.com",
    build: navigate,
  },
  {
    pattern: `${OPEN}|${GO} to? the? url|page|site? {url:url} ${IN_IT}`,
    example: "Open https://example.com",
    build: navigate,
  },
  {
    pattern: `${GO}|${OPEN} to? the|a|our {other:target} page|screen ,|-|–|—|:|= the_url|url|address|path? {url:url}`,
    example: 'Go to "/login"',
    build: navigate,
  },
  {
    pattern: `${TYPE}|put|paste|fill_in the? url|address|link? {url:url} in|into|to the? browser's|browser|url|address|location|web? bar|address_bar|url_bar|location_bar|search_bar and_press_enter|and_hit_enter|and_go?`,
    example: 'Go to "/login"',
    build: (slots) =>
      /^\W/.test(text(slots, "url")) || /^https?:/.test(text(slots, "url"))
        ? navigate(slots)
        : null,
  },
  {
    pattern: "go|return|navigate|head back? to the page before|i_came_from|you_came_from",
    example: "Go back",
    build: alone("go_back"),
  },
  {
    pattern:
      "go|goes|navigate|navigates|return|move|step back by? using|with|via|by_pressing|by_clicking|by_using|through the|your? browser|browser's back_button|back_arrow|back|back-button",
    example: "Go back",
    build: alone("go_back"),
  },
  {
    pattern:
      "go|goes|navigate|move|step forward? using|with|via|by_pressing|by_clicking|by_using|in|to_the_next_page_in the|your? browser|browser's forward_button|forward_arrow|history|browser_history",
    example: "Go forward",
    build: alone("go_forward"),
  },
  {
    pattern:
      "go|navigate|move|step forward|forwards in the|your browser_history|history|browser's_history",
    example: "Go forward",
    build: alone("go_forward"),
  },
  {
    pattern:
      "do|does|perform|performs|make|trigger|force|carry_out a|the? page|browser|hard|full? reload|refresh of_the_page|of_the_browser|of_the_current_page|of_this_page?",
    example: "Reload the page",
    build: alone("reload"),
  },
  {
    pattern:
      "hit|press|click|use|push the? reload|refresh button|icon? of_the_browser|in_the_browser|of_your_browser|in_your_browser|in_browser",
    example: "Reload the page",
    build: alone("reload"),
  },
  {
    pattern: "hit|do reload|refresh",
    example: "Reload the page",
    build: alone("reload"),
  },
  {
    pattern: `set|sets|change|changes|adjust the size|dimensions|width_and_height of the|my|your? ${WINDOW} to|as {size:size} pixels|px?`,
    example: "Set the viewport to 1280x720",
    build: resize,
  },
  {
    pattern: `resize|resizes|shrink|shrinks|enlarge|make|makes|reduce|maximize|scale|bring|put|turn the|my|your|it? ${WINDOW}? to? {size:size} pixels|px|in_size|large|big|wide?`,
    example: "Set the viewport to 1280x720",
    build: resize,
  },
  {
    pattern: `the ${WINDOW} is|was|gets resized|changed to {size:size} pixels|px?`,
    example: "Set the viewport to 1280x720",
    build: resize,
  },
  {
    pattern: `with|in|at|on|using a|an|the|my? ${WINDOW} at|of|in|with|set_to|size_of|sized? {size:size} pixels|px|window|screen|viewport?`,
    example: "Set the viewport to 1280x720",
    build: resize,
  },
  {
    pattern: `open|start|launch|use the|a|your? browser|window with|at|in a? size|resolution|viewport|window_size of? {size:size}`,
    example: "Set the viewport to 1280x720",
    build: resize,
  },
  {
    pattern:
      "open|activate|select|focus|focus_on|bring_up|show|choose the? {ordinal:ordinal} browser_tab|browser_window|tab_of_the_browser",
    example: "Switch to tab 2",
    build: (slots) => ({ action: "switch_tab", target: text(slots, "ordinal") }),
  },
  {
    pattern:
      "switch|change|go|move back? to the? new|other|second? tab|window|browser_tab whose title|name is {value:quoted}",
    example: 'Switch to the tab titled "Invoice"',
    build: (slots) => ({ action: "switch_tab", target: text(slots, "value") }),
  },
  {
    pattern:
      "return|switch|go|come back? to the main|original|outer|parent|top page_content|page|document|content|page's_content|frame|window_content",
    example: "Switch back to the main page",
    build: (slots) => (slots.target ? null : { action: "switch_frame" }),
  },
  {
    pattern: "get|go|move|step|come|switch out of the|this? frame|iframe",
    example: "Switch back to the main page",
    build: alone("switch_frame"),
  },
];

/** The page that is opened before the test goes on. */
export const placeWays: readonly Form[] = [
  {
    pattern:
      "the|a|our? page|url|screen|address|browser|app|site? {url:url} page|screen|url? is|was|has_been|gets opened|loaded|visited|shown|displayed|called_up by_the_user?",
    example: 'I am on "/login"',
    build: navigate,
  },
  {
    pattern: "the? page|url|address|path {url:url}",
    example: 'I am on "/login"',
    build: navigate,
  },
  {
    pattern:
      "the? browser|app|application|site shows|displays|has_opened|has_loaded|starts_at|starts_on|is_at|is_on|opens the? page? {url:url} page?",
    example: 'I am on "/login"',
    build: navigate,
  },
  {
    pattern: `am|is|are|be|being|was on|at|in the|a {other:target} page|screen|form|view ,|at|under|(|:|-? {url:url} )?`,
    example: 'I am on "/login"',
    build: navigate,
  },
  {
    pattern: "url|address|start_url|start_page|starting_point|start : {url:url}",
    example: 'I am on "/login"',
    build: navigate,
  },
  {
    pattern: "url|address|start_url|start_page is|= {url:url}",
    example: 'I am on "/login"',
    build: navigate,
  },
];
