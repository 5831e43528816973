import { GO, OPEN, TYPE } from "./actVerbs.ts";
import type { Form } from "./match.ts";
import { text } from "./verbs.ts";

/** Where the person goes. */
export const goForms: readonly Form[] = [
  {
    pattern: `${TYPE} the? url|address|website|link? {url:url} in|into the? browser's|browser? address_bar|url_bar|location_bar|address_field|browser`,
    example: 'Go to "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: `${TYPE} the? url|web_address {url:url}`,
    example: 'Go to "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: "point the? browser to|at {url:url}",
    example: 'Go to "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: `${OPEN} the? application|app|web_application|web_app|web_site|web_page|webpage|url|home_page|homepage|login_page|portal|store|shop at|on|under|via|with_the_url|: {url:url}`,
    example: "Open https://example.com",
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: `${GO} directly|straight|back? to the? page|url|address|site|website? at? {url:url} page? in_the_browser?`,
    example: 'Go to "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: "goto {url:url}",
    example: 'Go to "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: `${OPEN} the? page|url|address|site|website? at? {url:url} page? in_the_browser?`,
    example: "Open https://example.com",
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: `${GO} directly|straight|back? to the? homepage|home_page|start_page|base_url|landing_page`,
    example: "Go to the home page",
    build: () => ({ action: "navigate", value: "/" }),
  },
  {
    pattern: `${OPEN} the? homepage|home_page|start_page|base_url`,
    example: "Open the home page",
    build: () => ({ action: "navigate", value: "/" }),
  },
];

/** Where the person is to begin with: the first instruction, or a Given. */
export const placeForms: readonly Form[] = [
  {
    pattern: "am|is|are|start|starts on|at|from the? page? {url:url} page?",
    example: 'I am on "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
];

/** The same words in the midst of a test: to go there, or to be there already? */
export const placeDoubts: readonly Form[] = [
  {
    pattern: "am|is|are|start|starts on|at|from the? page? {url:url} page?",
    example: 'I should be on "/home"',
    build: () => ({ doubt: "Say go to, or should be on." }),
  },
];

/** Sentences in which an `and` does not divide. */
export const wholeGoForms: readonly Form[] = [
  {
    pattern: `${TYPE} the? url|address|website? {url:url} in|into the? browser's|browser? address_bar|url_bar|location_bar|address_field|browser ,? and|then|and_then hit|press|presses|hits|click the? enter|return|go key?`,
    example: 'Go to "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
];
