import type { Built, Form } from "./formTables.ts";
import type { Bindings } from "./slotTypes.ts";
import { text } from "./verbs.ts";

const at = (slots: Bindings): Built => ({ action: "assert_url", value: text(slots, "url") });
const PAGE = "page|url|screen|address|site";
const SENT =
  "redirected_to|taken_to|sent_to|brought_to|forwarded_to|navigated_to|led_to|directed_to|transferred_to|moved_to|returned_to|sent_back_to|taken_back_to|redirected_back_to";
const ARRIVES =
  "land|lands|landed|end_up|ends_up|ended_up|arrive|arrives|arrived|finish|finishes|is|are|am|be|stay|stays|remain|remains";

/** Where one is, in more ways than most people say it. */
export const pageWays: readonly Form[] = [
  {
    pattern: `the? page|url|screen? {url:url} page|screen|url? is|should_be|must_be|gets|will_be opened|displayed|shown|loaded|open|visible|reached`,
    example: 'I should be on "/home"',
    build: (slots) =>
      slots.url?.isQuoted || /^(?:\/|https?:)/i.test(text(slots, "url")) ? at(slots) : null,
  },
  {
    pattern: `the? page|url|screen? {url:url} page|screen|url? should_open|should_load|opens|loads|appears|should_appear|opens_up|comes_up`,
    example: 'I should be on "/home"',
    build: (slots) => (/^(?:\/|https?:)/i.test(text(slots, "url")) ? at(slots) : null),
  },
  {
    pattern: `the|a? redirect|redirection|navigation|forwarding to the? ${PAGE}? {url:url} page?`,
    example: 'I should be on "/home"',
    build: at,
  },
  {
    pattern: `is|are|am|be|been|will_be|should_be|has_been|have_been|should_have_been|must_be|gets|get|should_get|being|was|were|will_get ${SENT} the? ${PAGE}? {url:url} page|screen?`,
    example: 'I should be on "/home"',
    build: at,
  },
  {
    pattern:
      "should_be|should_now_be|should_again_be|must_be|will_be|to_be|be back|again on|at the? page|url? {url:url} page?",
    example: 'I should be on "/home"',
    build: at,
  },
  {
    pattern: `the_system|system|the_app|app|the_application|application|the_site|the_page|the_website|it|this|that should|must|will|then? redirect|redirects|take|takes|send|sends|bring|brings|lead|leads|navigate|navigates|forward|forwards|return|returns me|the_user|us|you|user|them|the_browser? back? to the? ${PAGE}? {url:url} page|screen?`,
    example: 'I should be on "/home"',
    build: at,
  },
  {
    pattern: `${ARRIVES} back? on|at|in the? ${PAGE} {url:url} page?`,
    example: 'I should be on "/home"',
    build: at,
  },
  {
    pattern: `land|lands|landed|end_up|ends_up|ended_up|arrive|arrives|arrived|finish|finishes back? on|at|in the? {url:url} page|screen?`,
    example: 'I should be on "/home"',
    build: at,
  },
  {
    pattern:
      "the? current? url|address|address_bar|path|location is|reads|shows|says|displays|equals|to_equal|to_read|in_the_address_bar_is|should_show|should_read|in_the_browser_is|should_now_be|is_now|changed_to|becomes {url:url}",
    example: 'The URL should be "/home"',
    build: at,
  },
  {
    pattern:
      "{value:quoted} is|should_be|appears|must_be|should_appear|to_be in|part_of the? url|address|address_bar|current_url|page_url|browser_url",
    example: 'The URL should contain "/home"',
    build: (slots) => ({ action: "assert_url", value: `*${text(slots, "value")}*` }),
  },
  {
    pattern: "expect|expects|see {value:quoted} in the? url|address|address_bar|current_url",
    example: 'The URL should contain "/home"',
    build: (slots) => ({ action: "assert_url", value: `*${text(slots, "value")}*` }),
  },
  {
    pattern:
      "should_be|am|is|are|be|land|lands|end_up|should_land|should_end_up on|at a|the url|page|address containing|that_contains|whose_url_contains|with_a_url_containing|whose_address_contains|with_the_url_containing {value:quoted}",
    example: 'The URL should contain "/home"',
    build: (slots) => ({ action: "assert_url", value: `*${text(slots, "value")}*` }),
  },
  {
    pattern:
      "should_be|am|is|are|be|land|lands|end_up|should_land|should_end_up on|at a|the url|page|address starting_with|that_starts_with|whose_url_starts_with|whose_address_starts_with {value:value}",
    example: 'The URL should start with "/home"',
    build: (slots) => ({ action: "assert_url", value: `${text(slots, "value")}*` }),
  },
  {
    pattern:
      "the? page|document|browser|window|tab|browser_tab|browser_window|tab's|page's title :|= {value:quoted}",
    example: 'The title should be "Welcome"',
    build: (slots) => ({ action: "assert_title", value: text(slots, "value") }),
  },
  {
    pattern:
      "the? document_title|title_bar|title_of_the_document|tab_title|html_title|window's_title|browser_tab|browser's_title is|should_be|shows|reads|says|equals|should_read|should_show|displays {value:quoted}",
    example: 'The title should be "Welcome"',
    build: (slots) => ({ action: "assert_title", value: text(slots, "value") }),
  },
  {
    pattern:
      "{value:quoted} is|should_be|appears|must_be in the? title|page_title|title_of_the_page|browser_title|tab_title",
    example: 'The title should contain "Welcome"',
    build: (slots) => ({ action: "assert_title", value: `*${text(slots, "value")}*` }),
  },
];
