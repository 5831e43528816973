import { alone, onTarget } from "./actVerbs.ts";
import type { Built, Form } from "./formTables.ts";
import { type Bindings, kindOfSlot } from "./slotTypes.ts";
import { text } from "./verbs.ts";

/** A picture of an element, with a name. */
const namedShot = (slots: Bindings): Built => ({
  action: "screenshot",
  target: text(slots, "target"),
  value: text(slots, "name"),
});

/** A visual check of the target that has a name. */
const named = (slots: Bindings): Built => ({
  action: "visual_check",
  target: text(slots, "target"),
  value: text(slots, "name"),
});

/** Screenshots, and comparisons with a baseline. */
export const pictureForms: readonly Form[] = [
  {
    pattern:
      "capture|captures|screenshot the page|screen|whole_page|full_page as|called|named {name:quoted}",
    example: 'Take a screenshot called "home"',
    build: (slots) => ({ action: "screenshot", value: text(slots, "name") }),
  },
  {
    pattern: "capture|captures|screenshot the page|screen|whole_page|full_page",
    example: "Take a screenshot",
    build: () => ({ action: "screenshot" }),
  },
  {
    pattern:
      "check|verify|assert|ensure|confirm|make_sure that|if? the? page|screen|layout looks|look|is_visually the_same|as_before|same|as_expected|unchanged as_before|as_the_baseline|as_in_the_baseline?",
    example: "Visual check of the page",
    build: alone("visual_check"),
  },
  {
    pattern:
      "check_visually|verify_visually|visually_check|visually_verify that the? page|screen|layout|view matches|equals|looks_like|is_like the? baseline|reference|snapshot|screenshot|baseline_image|reference_image {name:quoted}",
    example: 'Visual check of the page called "home"',
    build: (slots) => ({ action: "visual_check", value: text(slots, "name") }),
  },
  {
    pattern:
      "visual_check|visually_check|visually_compare|check_visually|visual_comparison|visual_test|visually_verify|compare_visually of? the? page|screen|whole_page|full_page called|named|as|titled {name:value}",
    example: 'Visual check of the page called "home"',
    build: (slots) => ({ action: "visual_check", value: text(slots, "name") }),
  },
  {
    pattern:
      "visual_check|visually_check|visually_compare|check_visually|visual_comparison|visual_test|visually_verify of? the? page|screen|whole_page|full_page?",
    example: "Visual check of the page",
    build: alone("visual_check"),
  },
  {
    pattern:
      "visual_check|visually_check|visually_compare|check_visually|visual_comparison|visual_test|visually_verify of? {target:target} called|named|as|titled {name:value}",
    example: 'Visual check of the "Header" section called "header"',
    build: (slots) => ({
      action: "visual_check",
      target: text(slots, "target"),
      value: text(slots, "name"),
    }),
  },
  {
    pattern:
      "visual_check|visually_check|visually_compare|check_visually|visual_comparison|visual_test|visually_verify of? {target:target}",
    example: 'Visual check of the "Header" section',
    build: (slots) =>
      slots.target?.isQuoted && !slots.target.isLiteral && kindOfSlot(slots.target) === null
        ? null
        : onTarget("visual_check")(slots),
  },
  {
    pattern:
      "the? page|screen|layout|view should_look_like|looks_like|must_look_like|should_match|matches|must_match|should_look_the_same_as|looks_the_same_as|should_be_the_same_as|should_still_look_like the? baseline|reference|snapshot|screenshot|picture|baseline_image|reference_image {name:quoted}",
    example: 'Visual check of the page called "home"',
    build: (slots) => ({ action: "visual_check", value: text(slots, "name") }),
  },
  {
    pattern:
      "compare|compares|match the? screenshot|page|picture|snapshot {name:quoted} with|to|against the|its? baseline|reference|baseline_image",
    example: 'Visual check of the page called "home"',
    build: (slots) => ({ action: "visual_check", value: text(slots, "name") }),
  },
  {
    pattern:
      "compare|compares|check|checks|verify|match the|current|whole|entire|full? page|screen|view visually? with|to|against the|its? baseline|reference|baseline_image|snapshot|baseline_screenshot|screenshot called|named? {name:quoted}",
    example: 'Visual check of the page called "home"',
    build: (slots) => ({ action: "visual_check", value: text(slots, "name") }),
  },
  {
    pattern:
      "compare|compares|match the? page|screen|screenshot with|to|against the|its? baseline|reference|baseline_image",
    example: "Visual check of the page",
    build: alone("visual_check"),
  },
  {
    pattern:
      "compare|compares|match {target:target} with|to|against the|its? baseline|reference|baseline_image",
    example: 'Visual check of the "Header" section',
    build: onTarget("visual_check"),
  },
  {
    pattern:
      "visually? compare|compares|match {target:target} with|to|against the|its? baseline|reference|baseline_image|snapshot called|named? {name:quoted}",
    example: 'Visual check of the "Header" section called "header"',
    build: named,
  },
  {
    pattern:
      "save|saves|grab|grabs|create|get a|the|another|one_more? screenshot|screen_shot|screengrab|snapshot of_the_page|of_the_screen? as|called|named|titled|under|with_the_name|with_name {name:value}",
    example: 'Take a screenshot called "home"',
    build: (slots) => ({ action: "screenshot", value: text(slots, "name") }),
  },
  {
    pattern:
      "save|saves|grab|create|get? a|the|another|one_more? screenshot|screen_shot|screengrab of_the_page|of_the_screen?",
    example: "Take a screenshot",
    build: () => ({ action: "screenshot" }),
  },
  {
    pattern:
      "take|takes|capture|captures|make a|the|another|one_more? screenshot|screen_shot|snapshot :? {name:quoted}",
    example: 'Take a screenshot called "home"',
    build: (slots) => ({ action: "screenshot", value: text(slots, "name") }),
  },
  {
    pattern: "check|checks|compare|compares|inspect|verify the? page|screen|layout visually",
    example: "Visual check of the page",
    build: alone("visual_check"),
  },
  {
    pattern:
      "a? screenshot|screen_shot|snapshot|take_a_snapshot of {target:target} called|named|as|titled {name:value}",
    example: 'Take a screenshot of the "Total" row called "total"',
    build: namedShot,
  },
  {
    pattern: "screenshot|screen_shot|snapshot|take_a_snapshot|capture of {target:target}",
    example: "Take a screenshot of the footer",
    build: (slots) => (slots.target?.isQuoted ? onTarget("screenshot")(slots) : null),
  },
  {
    pattern: "visual_check|visual_comparison|visual_test {name:quoted}",
    example: 'Visual check of the page called "home"',
    build: (slots) => ({ action: "visual_check", value: text(slots, "name") }),
  },
  {
    pattern:
      "compare|compares|match the? page|screen with|to|against the? baseline|reference {name:quoted}",
    example: 'Visual check of the page called "home"',
    build: (slots) => ({ action: "visual_check", value: text(slots, "name") }),
  },
  {
    pattern:
      "do|make|perform|run a|the? visual check|comparison|test of_the_page|on_the_page|of_the_whole_page?",
    example: "Visual check of the page",
    build: alone("visual_check"),
  },
  {
    pattern: "screenshot|screen_shot as|called|named|:? {name:quoted}",
    example: 'Take a screenshot called "home"',
    build: (slots) => ({ action: "screenshot", value: text(slots, "name") }),
  },
  {
    pattern:
      "take|takes|capture|captures|make a|the|another|one_more? screenshot|screen_shot of_the_page? called|named|as|titled|with_the_name|with_name {name:value}",
    example: 'Take a screenshot called "home"',
    build: (slots) => ({ action: "screenshot", value: text(slots, "name") }),
  },
  {
    pattern:
      "take|takes|capture|captures|make|grab|grabs|save|create|get a|the|another? full|full_page|full-page|whole_page screenshot|screen_shot|snapshot :? {name:quoted}",
    example: 'Take a screenshot called "home"',
    build: (slots) => ({ action: "screenshot", value: text(slots, "name") }),
  },
  {
    pattern:
      "grab|grabs|get|save|create|snap|shoot a|the|another|one_more? screenshot|screen_shot|screengrab|picture of {target:target} called|named|as|titled {name:value}",
    example: 'Take a screenshot of the "Total" row called "total"',
    build: namedShot,
  },
  {
    pattern:
      "grab|grabs|get|save|create|snap a|the|another|one_more? screenshot|screen_shot|screengrab of {target:target}",
    example: "Take a screenshot of the footer",
    build: (slots) => (slots.target?.isQuoted ? onTarget("screenshot")(slots) : null),
  },
  {
    pattern:
      "take|takes|capture|captures|make a|the|another? full_page|full-page? screenshot|screen_shot|picture|snapshot|screengrab of_the_page|of_the_screen|of_the_whole_page|of_the_full_page?",
    example: "Take a screenshot",
    build: () => ({ action: "screenshot" }),
  },
  {
    pattern:
      "take|takes|capture|captures|make a|the|another|one_more? screenshot|screen_shot of {target:target} called|named|as|titled {name:value}",
    example: 'Take a screenshot of the "Total" row called "total"',
    build: namedShot,
  },
  {
    pattern:
      "take|takes|capture|captures|make a|the|another|one_more? screenshot|screen_shot of {target:target}",
    example: "Take a screenshot of the footer",
    build: (slots) =>
      /^(?:current|whole|entire|full|visible) (?:page|screen|window|view)$/i.test(
        text(slots, "target"),
      )
        ? { action: "screenshot" }
        : onTarget("screenshot")(slots),
  },
];

/** The same, where an `and` does not divide. */
export const wholePictureForms: readonly Form[] = [
  {
    pattern:
      "take|takes|capture|make a|the|another? visual? screenshot|snapshot|picture of {target:target} ,? and compare|match it|this with|to|against the|its? baseline|reference",
    example: 'Visual check of the "Header" section',
    build: onTarget("visual_check"),
  },
  {
    pattern:
      "take|takes|capture|make a|the|another|one_more? screenshot|screen_shot of_the_page|of_the_screen|of_the_whole_page? ,? and name|call|save|store|title|label it|this as|under? {name:value}",
    example: 'Take a screenshot called "home"',
    build: (slots) => ({ action: "screenshot", value: text(slots, "name") }),
  },
];

/** What is claimed of how something looks. */
export const pictureClaims: readonly Form[] = [
  {
    pattern:
      "{target:target} should_look_like|looks_like|must_look_like|should_match|matches|must_match|should_still_look_like the|its? baseline|reference|snapshot|baseline_image|reference_image|baseline_screenshot called|named? {name:quoted}",
    example: 'Visual check of the "Header" section called "header"',
    build: (slots) =>
      /^(?:page|screen|layout|view)$/i.test(text(slots, "target")) ? null : named(slots),
  },
  {
    pattern:
      "the? page|screen|layout is|should_be|must_be|remains unchanged|visually_unchanged|the_same as_before?",
    example: "Visual check of the page",
    build: alone("visual_check"),
  },
  {
    pattern:
      "{target:target} should_look|looks|must_look|should_visually_match|should_match|matches|must_match the_same|same|as_before|visually_unchanged|unchanged|like_the_baseline|the_baseline|its_baseline|the_reference|as_in_the_baseline as_before|as_the_baseline|as_in_the_baseline|as_in_baseline?",
    example: 'The "Header" section should look the same as before',
    build: (slots) =>
      /^(?:page|screen|layout)$/i.test(text(slots, "target"))
        ? { action: "visual_check" }
        : onTarget("visual_check")(slots),
  },
];
