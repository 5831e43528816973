import { rowsOf } from "./table.ts";

const predicate = rowsOf("Predicate");
const state = rowsOf("State");
const stated = rowsOf("Text");
const verb = rowsOf("Verb");
const bare = rowsOf("Bare");
const effect = rowsOf("Effect");

/** Auxiliaries, and the negation that they carry. */
export const predicates = [
  predicate("<be> (Text)", "@Text"),
  predicate(
    "<be> (State)",
    "@State",
    'The "Pay" button is disabled => assert_disabled "Pay" button',
  ),
  predicate(
    "<be_not> (NotState)",
    "@NotState",
    'The "Delete" button should not be visible => assert_hidden "Delete" button',
  ),
  predicate("(Verb)", "@Verb"),
  predicate("<do> (Verb)", "@Verb"),
  predicate(
    "<do_not> (NotVerb)",
    "@NotVerb",
    'The "Done" message does not appear => assert_hidden "Done" message',
  ),
];

/** States behind `is`, `should be`, `remains`; `no` is the negated state. */
export const states = [
  state(
    "<visible>",
    "assert_visible $ -",
    '"Welcome" should be on the page => assert_visible Welcome',
    { no: "assert_hidden $ -" },
  ),
  state("<gone>", "assert_hidden $ -", "The spinner is gone => assert_hidden spinner", {
    no: "assert_visible $ -",
  }),
  state(
    "<enabled>",
    "assert_enabled $ -",
    "The Save button is enabled => assert_enabled Save button",
    { no: "assert_disabled $ -" },
  ),
  state(
    "<disabled>",
    "assert_disabled $ -",
    "The Save button is greyed out => assert_disabled Save button",
    { no: "assert_enabled $ -" },
  ),
  state("<checked>", "assert_checked $ -", '"I agree" is ticked => assert_checked I agree', {
    no: "assert_unchecked $ -",
    cost: 0.01,
  }),
  state(
    "<unchecked>",
    "assert_unchecked $ -",
    '"I agree" should be unticked => assert_unchecked I agree',
    { no: "assert_checked $ -", cost: 0.01 },
  ),
  state(
    "<empty>",
    "assert_value $ -",
    "The Email field should be empty => assert_value Email field",
  ),
  stated(
    "<exactly>? {quoted:text}",
    "assert_text $ text",
    'The heading should be "Your cart" => assert_text heading ← Your cart',
  ),
  stated(
    "<exactly>? {expected:text}",
    "assert_text $ text",
    "The total should be 42 => assert_text total ← 42",
    { cost: 0.2 },
  ),
];

/** Verbs of elements: `appears`, `contains "x"`, `has the value "x"`. */
export const claimVerbs = [
  verb(
    "<appear> {number} times",
    "assert_count $ number",
    "css=.card appears 24 times => assert_count css=.card ← 24",
  ),
  verb(
    "<appear>",
    "assert_visible $ -",
    'The "Done" message appears => assert_visible "Done" message',
    { no: "assert_hidden $ -" },
  ),
  verb("<vanish>", "assert_hidden $ -", "The spinner should disappear => assert_hidden spinner", {
    no: "assert_visible $ -",
  }),
  verb(
    "<contain> <text>? {expected:text}",
    "assert_contains $ text",
    'The heading should contain "Welcome" => assert_contains heading ← Welcome',
  ),
  verb("<contain> <text>? {quotedList:text}", "assert_contains $ text"),
  verb(
    "<exhibit> <text>? {expected:text}",
    "assert_contains $ text",
    'The footer shows "Imprint" => assert_contains footer ← Imprint',
  ),
  verb(
    "<read> <exactly>? {expected:text}",
    "assert_text $ text",
    'The heading says "Welcome" => assert_text heading ← Welcome',
  ),
  verb(
    "have|has|having|shows|show <the_value> <exactly>? {expected:text}",
    "assert_value $ text",
    'The "Email" field has the value "x" => assert_value "Email" field ← x',
    { cost: -0.2 },
  ),
  verb(
    "have|has|having the_text|text|the_label|the_caption {expected:text}",
    "assert_text $ text",
    'The heading should have the text "Welcome" => assert_text heading ← Welcome',
    { cost: -0.3 },
  ),
  verb(
    "have|has|having <attribute> {attribute} with_value|with_the_value|set_to|equal_to|of|=? {quoted:text}",
    "assert_attribute $ attribute=text",
    'The "Docs" link has the attribute target "_blank" => assert_attribute "Docs" link ← target=_blank',
  ),
  verb(
    "have|has <attribute> {pair}",
    "assert_attribute $ pair",
    '"Docs" should have the attribute `target=_blank` => assert_attribute Docs ← target=_blank',
    { cost: -1 },
  ),
  verb(
    "have|has|having|shows|show the|a|an? {htmlAttribute:attribute} text? of|set_to|=|with_value|equal_to? {quoted:text}",
    "assert_attribute $ attribute=text",
    'The Email field should have the placeholder "you@x" => assert_attribute Email field ← placeholder=you@x',
    { cost: 0.2 },
  ),
  verb(
    "have|has|having the|a|an? {attribute} attribute|of {address:text}",
    "assert_attribute $ attribute=text",
    null,
    { cost: 0.2 },
  ),
  verb(
    "<changes> to|into {expected:text}",
    "assert_text $ text",
    'The status changes to "Paid" => assert_text status ← Paid',
    { cost: 0.1 },
  ),
  verb(
    "<changes> its? text|label|caption to|into {expected:text}",
    "assert_text $ text",
    'The button changes its text to "Following" => assert_text button ← Following',
  ),
  verb("be|is|are = {expected:text}", "assert_text $ text"),
  verb(
    "= {expected:text}",
    "assert_text $ text",
    "Check that Total due = 0.00 => assert_text Total due ← 0.00",
    { cost: 0.2 },
  ),
  verb(
    "<point> to|at {address:text}",
    "assert_attribute $ 'href'=text",
    'The "Home" link points to "/home" => assert_attribute "Home" link ← href=/home',
    { cost: -0.2 },
  ),
  verb(
    "have|has {quoted:text} selected|chosen|picked|as_selected",
    "assert_value $ text",
    'The "Country" dropdown should have "Canada" selected => assert_value "Country" dropdown ← Canada',
    { cost: -0.3 },
  ),
  verb("have|has no_value|no_text|nothing|nothing_in_it", "assert_value $ -", null, { cost: -0.2 }),
];

/** What a command brings about: `Clicking "Save" shows "Saved"`. */
export const effects = [
  effect(
    "<do>? <show> {elements}",
    "assert_visible elements -",
    'Clicking "Save" shows "Saved" => click Save ; assert_visible Saved',
  ),
  effect(
    "<do>? <hide> {elements}",
    "assert_hidden elements -",
    'Clicking "Save" closes the "Edit" dialog => click Save ; assert_hidden "Edit" dialog',
  ),
  effect(
    "<do>? <lead> <subject>? back? to {url}",
    "assert_url - url",
    'Clicking "Home" should bring the user to /home => click Home ; assert_url ← /home',
  ),
  effect(
    "<do>? open|opens|load|loads {url}",
    "assert_url - url",
    'Clicking "Docs" opens /docs => click Docs ; assert_url ← /docs',
  ),
  effect("<do>? make|makes|cause|causes|let|lets {elements} <appear>", "assert_visible elements -"),
  effect("<do>? make|makes|cause|causes|let|lets {elements} <vanish>", "assert_hidden elements -"),
  effect(
    "<do>? <enable> {element}",
    "assert_enabled element -",
    'Ticking "I agree" enables the "Next" button => check I agree ; assert_enabled "Next" button',
  ),
  effect("<do>? <disable> {element}", "assert_disabled element -"),
];

/** States without a verb: `"Saved" visible`, `Reset button disabled`. */
export const bareStates = [
  bare(
    "visible|displayed|shown|present|appears|exists|showing",
    "assert_visible $ -",
    '"Saved" visible => assert_visible Saved',
    { no: "assert_hidden $ -" },
  ),
  bare(
    "hidden|gone|invisible|absent|removed|missing",
    "assert_hidden $ -",
    'Expected: "Reset" hidden => assert_hidden Reset',
    { no: "assert_visible $ -" },
  ),
  bare("enabled|clickable", "assert_enabled $ -", null, { no: "assert_disabled $ -" }),
  bare(
    "disabled|greyed_out|grayed_out",
    "assert_disabled $ -",
    '"Save" button disabled => assert_disabled "Save" button',
    { no: "assert_enabled $ -" },
  ),
  bare("checked|ticked", "assert_checked $ -", null, { no: "assert_unchecked $ -" }),
  bare("unchecked|unticked", "assert_unchecked $ -", null, { no: "assert_checked $ -" }),
  bare(
    "empty|blank",
    "assert_value $ -",
    '"Net weight" field empty => assert_value "Net weight" field',
  ),
];
