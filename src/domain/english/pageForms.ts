import { parsePattern, wildcardSource } from "../catalogue/values.ts";
import type { Built, Form } from "./formTables.ts";
import type { Bindings } from "./slotTypes.ts";
import { BE, CONTAIN, HAVE, HOME, SEE, text } from "./verbs.ts";

/** A pattern that a page's address or title contains, starts or ends with a text, `*` in it being itself. */
const around = (before: string, part: string, after: string): string => {
  if (!part.includes("*")) return `${before}${part}${after}`;
  const source = part.replaceAll("*", "\u0000");
  const escaped = wildcardSource(source).slice(1, -1).replaceAll("\u0000", "\\*");
  return `/${before ? "" : "^"}${escaped}${after ? "" : "$"}/`;
};

/** The claims about a text of the page itself: its title, its address. */
const pageTextForms = (
  noun: string,
  action: string,
  examples: readonly [string, string],
): Form[] => {
  const subject = `the|a? current|browser|browser's? page|page's|window|tab? ${noun} of_the_page|of_the_current_page|of_the_tab|of_the_window|of_the_browser_window|of_the_browser_tab|of_the_browser?`;
  const made =
    (before: string, after: string) =>
    (slots: Bindings): Built => ({ action, value: around(before, text(slots, "value"), after) });
  return [
    {
      pattern: `${subject} ${BE}|should_equal|equals|should_read|reads|says|should_say|changes_to|should_change_to|has_changed_to|changed_to {value:value}`,
      example: `The ${examples[0]} should be ${examples[1]}`,
      build: (slots) => {
        const value = text(slots, "value");
        if (parsePattern(value).kind === "regex" && action === "assert_url") {
          return {
            doubt: "Between slashes it is a regular expression: say matches, or ends with.",
          };
        }
        return { action, value };
      },
    },
    {
      pattern: `${subject} should_match|matches|to_match|must_match {value:value}`,
      example: `The ${examples[0]} should match "*${examples[1].slice(1, -1)}*"`,
      build: (slots) => ({ action, value: text(slots, "value") }),
    },
    {
      pattern: `${subject} ${CONTAIN}|changes_to_include|changes_to_contain|should_change_to_include|should_change_to_contain {value:value}`,
      example: `The ${examples[0]} should contain ${examples[1]}`,
      build: made("*", "*"),
    },
    {
      pattern: `${subject} ${HAVE}|${CONTAIN} {value:quoted} in_it`,
      example: `The ${examples[0]} should contain ${examples[1]}`,
      build: made("*", "*"),
    },
    {
      pattern: `${subject} should_start_with|starts_with|to_start_with|should_begin_with|begins_with {value:value}`,
      example: `The ${examples[0]} should start with ${examples[1]}`,
      build: made("", "*"),
    },
    {
      pattern: `${subject} should_end_with|ends_with|to_end_with|should_end_in|ends_in|to_end_in|must_end_with|must_end_in {value:value}`,
      example: `The ${examples[0]} should end with ${examples[1]}`,
      build: made("*", ""),
    },
  ];
};

const STAY =
  "stay|stays|remain|remains|should_stay|should_remain|should_still_be|is_still|am_still|are_still|must_remain|must_stay";

/** What is claimed of the page as a whole. */
export const pageForms: readonly Form[] = [
  {
    pattern: "the? current? url|address|path :|=|==? {url:url}",
    example: 'The URL should be "/home"',
    build: (slots) => ({ action: "assert_url", value: text(slots, "url") }),
  },
  {
    pattern: "the? current page should_be|is|must_be|should_now_be|should_still_be {url:url}",
    example: 'The URL should be "/home"',
    build: (slots) => ({ action: "assert_url", value: text(slots, "url") }),
  },
  {
    pattern: "the? page should_be|must_be|should_now_be|should_still_be {url:url}",
    example: 'The URL should be "/home"',
    build: (slots) => ({ action: "assert_url", value: text(slots, "url") }),
  },
  ...pageTextForms("title", "assert_title", ["title", '"Welcome"']),
  ...pageTextForms("url|address|location|path|url_path|address_bar", "assert_url", [
    "URL",
    '"/home"',
  ]),
  {
    pattern: `the? page|tab|window ${BE} titled|called|named {value:quoted}`,
    example: 'The page should have the title "Welcome"',
    build: (slots) => ({ action: "assert_title", value: text(slots, "value") }),
  },
  {
    pattern:
      "verify|verifies|check|checks|assert|confirm|expect|validate|ensure the? page|browser|tab|document? title :? {value:quoted}",
    example: 'The title should be "Welcome"',
    build: (slots) => ({ action: "assert_title", value: text(slots, "value") }),
  },
  {
    pattern: `${SEE} {value:quoted} in the? url|address|address_bar|page_url|current_url|browser_url|path`,
    example: 'The URL should contain "/home"',
    build: (slots) => ({ action: "assert_url", value: around("*", text(slots, "value"), "*") }),
  },
  {
    pattern: `${SEE} {value:quoted} in|as the? title|page_title|tab_title|browser_title|window_title of_the_page?`,
    example: 'The title should contain "Welcome"',
    build: (slots) => ({ action: "assert_title", value: around("*", text(slots, "value"), "*") }),
  },
  {
    pattern: `the? page|browser|app|site|user? ${STAY} on|at the? page|url? {url:url} page?`,
    example: 'I should be on "/home"',
    build: (slots) => ({ action: "assert_url", value: text(slots, "url") }),
  },
  {
    pattern: `the? page|browser|app|site|user? am|is|are|get|gets|should_get|should_be|must_be|should_land|lands|land|should_return|should_now_be redirected_to|taken_to|sent_to|sent_back_to|redirected_back_to|taken_back_to|brought_to|returned_to|navigated_to|on|at|back_on|to the? ${HOME}`,
    example: 'I should be on "/home"',
    build: () => ({ action: "assert_url", value: "/" }),
  },
  {
    pattern:
      "the? page|url {url:url} page? should_open|should_be_opened|should_load|should_be_loaded|should_be_displayed|should_be_shown|opens",
    example: 'I should be on "/home"',
    build: (slots) => ({ action: "assert_url", value: text(slots, "url") }),
  },
  {
    pattern: `the? page ${HAVE} the? title {value:value}`,
    example: 'The page should have the title "Welcome"',
    build: (slots) => ({ action: "assert_title", value: text(slots, "value") }),
  },
  {
    pattern:
      "the? browser|page|app|site|website|application? am|is|are|get|gets|should_get|should_be|must_be redirected_to|taken_to|sent_to|sent_back_to|redirected_back_to|taken_back_to|brought_to|forwarded_to|navigated_to the? page|url? {url:url} page?",
    example: 'I should be on "/home"',
    build: (slots) => ({ action: "assert_url", value: text(slots, "url") }),
  },
  {
    pattern:
      "the? browser|page|app|site|website|application|it? redirects|should_redirect|redirects_back|should_redirect_back me|the_user|us|you? to the? page|url? {url:url} page?",
    example: 'I should be on "/home"',
    build: (slots) => ({ action: "assert_url", value: text(slots, "url") }),
  },
  {
    pattern:
      "should_land|to_land|to_end_up|to_arrive|land|lands|ends_up|end_up|should_end_up|arrive|arrives on|at the? page|url? {url:url} page?",
    example: 'I should be on "/home"',
    build: (slots) => ({ action: "assert_url", value: text(slots, "url") }),
  },
  {
    pattern:
      "the_browser|browser|the_user|user should_be|should_now_be|must_be on|at|redirected_to|taken_to the? page|url? {url:url} page?",
    example: 'I should be on "/home"',
    build: (slots) => ({ action: "assert_url", value: text(slots, "url") }),
  },
  {
    pattern:
      "should_be|should_now_be|should_still_be|must_be|to_be on|at|redirected_to|taken_to|sent_to|sent_back_to|redirected_back_to|taken_back_to|brought_to|forwarded_to|navigated_to the? page|url? {url:url} page?",
    example: 'I should be on "/home"',
    build: (slots) => ({ action: "assert_url", value: text(slots, "url") }),
  },
];

/** Where the person says to be, after a Then. */
export const placeClaims: readonly Form[] = [
  {
    pattern: `am|is|are on|at the? ${HOME}`,
    example: 'I should be on "/home"',
    build: () => ({ action: "assert_url", value: "/" }),
  },
  {
    pattern: "am|is|are on|at|redirected_to|taken_to the? page? {url:url} page?",
    example: 'I should be on "/home"',
    build: (slots) => ({ action: "assert_url", value: text(slots, "url") }),
  },
];
