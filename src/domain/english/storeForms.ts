import type { Built, Form } from "./formTables.ts";
import type { Bindings } from "./slotTypes.ts";
import { text } from "./verbs.ts";

const KEEP =
  "store|stores|save|saves|remember|remembers|keep|keeps|capture|copy|record|note|read|grab|extract|get|log|memorize|write_down|put";
const TEST = "test|scenario|test_case|testcase";

const store = (slots: Bindings): Built => ({
  action: "store",
  target: text(slots, "target"),
  value: text(slots, "name"),
});

/** `Log in with a@b.test in Email`: who or how somebody signs in is no thing whose text is kept. */
const PLACED = /^(?:with|using|as|to|at|by|via|through|on) /;

/** Sentences in which an `and` does not divide. */
export const wholeStoreForms: readonly Form[] = [
  {
    pattern: `${KEEP} {target:target} ,? and store|save|keep|remember|note it|this|that|the_value|the_text as|in|into|under a|the? variable|variable_named|variable_called? {name:name}`,
    example: 'Store the text of the "Total" cell as "total"',
    build: (slots) => (slots.target?.isQuoted ? store(slots) : null),
  },
  {
    pattern: `${KEEP}|get|take|extract the? text|value|content|contents of|from|in {target:target} ,? and store|save|keep|remember it|this|that|the_value|the_text as|in|into|under a|the? variable|variable_named|variable_called? {name:name}`,
    example: 'Store the text of the "Total" cell as "total"',
    build: (slots) => ({
      action: "store",
      target: text(slots, "target"),
      value: text(slots, "name"),
    }),
  },
];

/** What is kept for later, and the tests that are called. */
export const storeForms: readonly Form[] = [
  {
    pattern: `${KEEP} the? text|value|content|contents|text_content? of|from|in {target:target} as|in|into|to a|the? variable|variable_named|variable_called? {name:name}`,
    example: 'Store the text of the "Total" cell as "total"',
    build: (slots) => (PLACED.test(text(slots, "target")) ? null : store(slots)),
  },
  {
    pattern:
      "store|stores|save|saves|remember|remembers the? current? url|title|page_title as|in|into the? variable? {name:name}",
    example: 'Store the text of the "Total" cell as "total"',
    build: () => ({ doubt: "Only the text of an element can be stored." }),
  },
  {
    pattern: `${KEEP} the? text|value|content|contents? of|from|in? {target:target} as|in|into|to|under the|a? variable|variable_named|variable_called {name:name}`,
    example: 'Store the text of the "Total" cell as "total"',
    build: (slots) => (slots.target?.isQuoted ? store(slots) : null),
  },
  {
    pattern: `${KEEP} the? text|value|content|contents? of|from|in? {target:target} as|in|into|to|under the|a? variable? {value:value}`,
    example: 'Store the text of the "Total" cell as "total"',
    build: (slots) => {
      const name = /^\$\{([A-Za-z_][\w.-]*)\}$/.exec(text(slots, "value"))?.[1];
      return name ? { action: "store", target: text(slots, "target"), value: name } : null;
    },
  },
  {
    pattern: "save|saves|keep|keeps {target:target} as|in|into the? variable? {name:name}",
    example: 'Store the text of the "Total" cell as "total"',
    // "Save the form as draft" is something else.
    build: (slots) =>
      slots.target?.target?.find.by === "selector"
        ? { action: "store", target: text(slots, "target"), value: text(slots, "name") }
        : null,
  },
  {
    pattern:
      "store|stores|remember|remembers {target:target} as|in|into|under the|a? variable|variable_named|variable_called|name? {name:name}",
    example: 'Store the text of the "Total" cell as "total"',
    build: (slots) => ({
      action: "store",
      target: text(slots, "target"),
      value: text(slots, "name"),
    }),
  },
  {
    pattern: `call|calls|run|runs|execute|executes|perform|include|use|do|does|uses|follow|follows|repeat_all|repeat|go_through|do_everything_in|run_through the? ${TEST}|steps_of|steps_in|all_steps_of|everything_in|steps_of_the_scenario|steps_from|steps_of_test|steps_of_the_test {value:quoted}`,
    example: 'Click the "Sign in" button',
    build: (slots) => ({ action: "call_test", target: text(slots, "value") }),
  },
  {
    // Before anything else a test is run, not a search or a report.
    pattern: "first? run|execute|call {value:quoted}",
    example: 'Click the "Sign in" button',
    build: (slots) => ({ action: "call_test", target: text(slots, "value") }),
  },
  {
    pattern: "first perform|do {value:quoted}",
    example: 'Click the "Sign in" button',
    build: (slots) => ({ action: "call_test", target: text(slots, "value") }),
  },
  {
    pattern: `call|calls|run|runs|execute|executes|perform|include|use|do|does|uses the? {value:quoted} ${TEST}|steps`,
    example: 'Click the "Sign in" button',
    build: (slots) => ({ action: "call_test", target: text(slots, "value") }),
  },
];
