import { GO, OPEN, TYPE } from "./actVerbs.ts";
import type { Form } from "./formTables.ts";
import type { Slot } from "./slotTypes.ts";
import { HOME, text } from "./verbs.ts";

const BE_AT =
  "am|is|are|start|starts|begin|begins|starting|assume_i_am|assume_the_user_is|assuming_i_am|assuming_the_user_is|was|am_currently|is_currently|have_been|the_browser_is|browser_is";
const IN_BROWSER =
  "in_the_browser|in_your_browser|in_a_browser|in_the_web_browser|in_a_web_browser|with_the_browser|in_the_address_bar|in_browser";

const isPage = (slot: Slot | undefined): boolean =>
  slot?.isQuoted === false && /^(?:[\w-]+ ){0,2}(?:page|site|website|screen)$/i.test(slot.text);

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
    pattern: `point|points|navigate|navigates|direct|directs|take|takes|send the|your? browser|user to|at the? page|url? {url:url} page?`,
    example: 'Go to "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: `${OPEN} the? application|app|web_application|web_app|web_site|web_page|webpage|url|home_page|homepage|login_page|portal|store|shop at|on|under|via|with_the_url|: {url:url}`,
    example: "Open https://example.com",
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: `${GO} directly|straight|back? to the? page|url|address|site|website|following_url|following_address|following_page|path|link? at? {url:url} page|url|screen|address? ${IN_BROWSER}?`,
    example: 'Go to "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: `${GO} to the|a|our {target:target} at|on|under|via|:|,? {url:url}`,
    example: 'Go to "/login"',
    // `the login page "/login"`: what it is called adds nothing to its address.
    build: (slots) =>
      isPage(slots.target) ? { action: "navigate", value: text(slots, "url") } : null,
  },
  {
    pattern: `${OPEN} the|a|our {target:target} at|on|under|via|:|,? {url:url}`,
    example: "Open https://example.com",
    build: (slots) =>
      isPage(slots.target) ? { action: "navigate", value: text(slots, "url") } : null,
  },
  {
    pattern: "change|changes|set|sets|update|updates the? url|address|browser_url to {url:url}",
    example: 'Go to "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: `${OPEN}|${GO} to? the|our {target:target} ( {url:url} )`,
    example: "Open https://example.com",
    build: (slots) =>
      isPage(slots.target) ? { action: "navigate", value: text(slots, "url") } : null,
  },
  {
    pattern: `${OPEN} the ${HOME} {url:url}`,
    example: "Open https://example.com",
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: "goto {url:url}",
    example: 'Go to "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: `${OPEN} the|this? page|url|address|site|website|following_url|following_address|following_page|path|link? at? {url:url} page|url|screen|address? ${IN_BROWSER}?`,
    example: "Open https://example.com",
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: `${GO} directly|straight|back? to the|the_site's|the_website's|the_app's|the_application's? ${HOME} of_the_site|of_the_website|of_the_app|of_the_application?`,
    example: "Go to the home page",
    build: () => ({ action: "navigate", value: "/" }),
  },
  {
    pattern: `${OPEN} the? ${HOME} of_the_site|of_the_website|of_the_app|of_the_application?`,
    example: "Open the home page",
    build: () => ({ action: "navigate", value: "/" }),
  },
];

/** Where the person is to begin with: the first instruction, or a Given. */
export const placeForms: readonly Form[] = [
  {
    // `/login -> click "Sign in"`
    pattern: "{url:url}",
    example: 'Go to "/login"',
    build: (slots) =>
      !slots.url?.isQuoted && /^(?:\/|https?:)/i.test(text(slots, "url"))
        ? { action: "navigate", value: text(slots, "url") }
        : null,
  },
  {
    pattern: "on|at the? page? {url:url} page?",
    example: 'I am on "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern:
      "am|is viewing|visiting|browsing|looking_at|currently_viewing the? page? {url:url} page?",
    example: 'I am on "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: "the? page|url|screen? {url:url} page? is|has_been open|opened|loaded",
    example: 'I am on "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern:
      "the_browser|browser|a_browser|the_app|the_application is|has_been open|opened at|on|with {url:url}",
    example: 'I am on "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: "have|has the? page|url|site? {url:url} page? open|opened|loaded",
    example: 'I am on "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: `${BE_AT} on|at|from|in the? page|url|screen? {url:url} page|screen?`,
    example: 'I am on "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: `${BE_AT} on|at|from the? ${HOME}`,
    example: "Go to the home page",
    build: () => ({ action: "navigate", value: "/" }),
  },
];

/** The same words in the midst of a test: to go there, or to be there already? */
export const placeDoubts: readonly Form[] = [
  {
    pattern: `${BE_AT} on|at|from|in the? page|url|screen? {url:url} page|screen?`,
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
