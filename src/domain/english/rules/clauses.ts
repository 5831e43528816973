import { rowsOf } from "./table.ts";

const clause = rowsOf("Clause");
const outcome = rowsOf("Outcome");

/** The sentences that a clause can be. */
export const clauses = [
  clause("(Command)", "@Command"),
  clause("(Claim)", "@Claim", null, {
    moods: ["none", "when", "then"],
    again: [
      "(State) => @State",
      "(Predicate) => @Predicate",
      "{elements:subject} <be_not> => negated subject -",
      "not (NotState) => @NotState",
    ],
  }),
  clause(
    "<verify> <that>? (Claim)",
    "@Claim",
    'Verify that "Saved" is displayed => assert_visible Saved',
    {
      again: [
        "(State) => @State",
        "(Predicate) => @Predicate",
        "{elements:subject} <be_not> => negated subject -",
        "<that> (Claim) => @Claim",
      ],
    },
  ),
  clause(
    "<verify> <that>? {elements:subject} (State)",
    "subject@State",
    'Verify "Saved" visible => assert_visible Saved',
    { cost: 0.3 },
  ),
  clause(
    "<verify> {elements:subject} not (NotState)",
    "subject@NotState",
    'Verify "Saved" not visible => assert_hidden Saved',
    { cost: 0.3 },
  ),
  clause(
    "<verify> <that>? (Seeing)",
    "@Seeing",
    'Verify that I see "Saved" => assert_visible Saved',
    { again: ["{listed:elements} => assert_visible elements -"] },
  ),
  clause("(Seeing)", "@Seeing", null, {
    again: [
      "{listed:elements} => assert_visible elements -",
      "not {elements} => assert_hidden elements -",
    ],
  }),
  clause(
    "<verify> <that>? it|they (Predicate)",
    "@Predicate",
    'Tick "A" and check that it is checked => check A ; assert_checked A',
  ),
  clause(
    "<verify> <that> <subject> is|am|are <at> the? page|url? {url} page?",
    "assert_url - url",
    'Verify that the user is on the "/cart" page => assert_url ← /cart',
    { cost: -0.5 },
  ),
  clause(
    "<verify> <that>? no error|error_message|error_messages|errors|validation_error <be> <visible>",
    "assert_hidden =error_message -",
    "Verify that no error message is displayed => assert_hidden error message",
    { cost: -0.3 },
  ),
  clause(
    "<verify> <that>? no error|error_message|error_messages|errors <do>? <appear>",
    "assert_hidden =error_message -",
    null,
    { cost: -0.3 },
  ),
  clause(
    "do|does {things:subject} (Verb)",
    "subject@Verb",
    'Does the heading contain "Cart"? => assert_contains heading ← Cart',
  ),
  clause(
    "is|are {elements:subject} (State)",
    "subject@State",
    'Is the "Pay" button enabled? => assert_enabled "Pay" button',
  ),
  clause(
    "<assertion> the? following|visible|present? {named:elements}",
    "assert_visible elements -",
    'Expect the "Save" button => assert_visible "Save" button',
    {
      again: ["{things:elements} => assert_visible elements -", "<that>? (Claim) => @Claim"],
      cost: 0.1,
    },
  ),
  clause(
    "<assertion>|<verify> the? presence|existence|visibility of {things:elements}",
    "assert_visible elements -",
    'Check the presence of "Welcome" => assert_visible Welcome',
    { cost: -0.3 },
  ),
  clause(
    "look|check for the? {named:elements}",
    "assert_visible elements -",
    'Look for the "Logout" link => assert_visible "Logout" link',
    { cost: -0.1 },
  ),
  clause("<verify> : (Claim)", "@Claim", 'Verify: "Saved" is shown => assert_visible Saved', {
    again: ["(State) => @State", "(Claim) => @Claim"],
    cost: -0.4,
  }),
  clause(
    "<verify> :? {named:subject} (Bare)",
    "subject@Bare",
    'Verify: "Net weight" present, "Weigh" disabled => assert_visible Net weight ; assert_disabled Weigh',
    { cost: -0.1, again: ["(State) => @State", "{named:subject} (Bare) => subject@Bare"] },
  ),
  clause("{named:subject} (Bare)", "subject@Bare", '"Saved" visible => assert_visible Saved', {
    cost: 0.2,
    moods: ["none", "then"],
    again: ["(State) => @State", "{named:subject} (Bare) => subject@Bare"],
  }),
  clause(
    "{named:subject} not (NotState)",
    "subject@NotState",
    '"Saved" not visible => assert_hidden Saved',
    { cost: 0.2, moods: ["none", "then"] },
  ),
  clause("{named:elements}", "assert_visible elements -", null, {
    cost: 0.4,
    moods: ["then"],
    again: ["{named:elements} => assert_visible elements -"],
  }),
  clause(
    "do|does|can <subject> <see> <text>? {things:elements}",
    "assert_visible elements -",
    'Do you see "Dashboard"? => assert_visible Dashboard',
  ),
  clause(
    "do|does <page> <hold> <text>? {things:elements}",
    "assert_visible elements -",
    'Does the page show "Welcome"? => assert_visible Welcome',
    { cost: -0.3 },
  ),
  clause(
    "do|does {messageName:subject} <contain> <text>? {quoted:text}",
    "assert_contains subject text",
    'Does the error message contain "42"? => assert_contains error message ← 42',
    { cost: -1.2 },
  ),
  clause(
    "<assertion>|<verify> the? absence of {things:elements}",
    "assert_hidden elements -",
    'Verify the absence of "Welcome" => assert_hidden Welcome',
    { cost: -0.3 },
  ),
  clause(
    "<verify> , that|whether|if (Claim)",
    "@Claim",
    'Check, that "Saved" is visible => assert_visible Saved',
    { again: ["(State) => @State", "(Predicate) => @Predicate", "<that> (Claim) => @Claim"] },
  ),
];

const seeing = rowsOf("Seeing");

/** What the person sees: `I should see …`, `there are 3 …`. */
export const seeings = [
  seeing(
    "<subject>? <do>? <see> <that>? <text>? {things:elements}",
    "assert_visible elements -",
    'I should see "Welcome" => assert_visible Welcome',
  ),
  seeing(
    "<subject>? <do>? <see> that (Claim)",
    "@Claim",
    'I should see that "Welcome" is visible => assert_visible Welcome',
  ),
  seeing(
    "<subject>? <see_not> any|a|an|the? {elements}",
    "assert_hidden elements -",
    'I should not see "Error" => assert_hidden Error',
  ),
  seeing(
    "<subject>? <do>? <see_not> any|a|an|the? {elements}",
    "assert_hidden elements -",
    'I should no longer see "Error" => assert_hidden Error',
  ),
  seeing(
    "<subject>? <do>? <see> <text>? {quoted:text} in|on|inside|within {holder}",
    "assert_contains holder text",
    'I should see "Welcome" in the heading => assert_contains heading ← Welcome',
    { cost: -0.1 },
  ),
  seeing(
    "<subject>? <do>? <see> exactly|only|just? {number} {counted}",
    "assert_count counted number",
    "I should see three rows => assert_count rows ← 3",
    { cost: -0.2 },
  ),
  seeing(
    "<subject>? <do>? <see> <text>? : {quotedList:text}",
    "assert_visible text -",
    'I should see: "Welcome, Ann!" => assert_visible Welcome, Ann!',
  ),
  seeing(
    "<subject>? <do>? <see> the? following <text>? : {quotedList:text}",
    "assert_visible text -",
    'I should see the following: "Welcome" => assert_visible Welcome',
    { cost: -0.3 },
  ),
  seeing(
    "<subject> can|could|should|should_be_able_to read {quoted:text}",
    "assert_visible text -",
    'I can read "Welcome" => assert_visible Welcome',
  ),
  seeing(
    "<there_is> the|a|an|any|some? {things:elements}",
    "assert_visible elements -",
    'There should be a "Save" button => assert_visible "Save" button',
  ),
  seeing(
    "<there_is> {number} {counted}",
    "assert_count counted number",
    'There should be 3 "Remove" buttons => assert_count "Remove" buttons ← 3',
    { cost: -0.2 },
  ),
  seeing(
    "<there_not> {elements}",
    "assert_hidden elements -",
    'There should be no "Delete" button => assert_hidden "Delete" button',
  ),
  seeing(
    "no {named:elements} <be> <visible>",
    "assert_hidden elements -",
    'No "Error" message is displayed => assert_hidden "Error" message',
  ),
  seeing(
    "no {named:elements} <do>? <appear>",
    "assert_hidden elements -",
    'No "Error" message appears => assert_hidden "Error" message',
  ),
  seeing(
    "<subject>? count|counts {number} {counted}",
    "assert_count counted number",
    "I count 3 rows => assert_count rows ← 3",
  ),
  seeing(
    "<assertion> exactly|only? {number} {counted}",
    "assert_count counted number",
    'Expect 10 rows in the "Orders" table => assert_count rows in the "Orders" table ← 10',
    { cost: -0.2 },
  ),
  seeing(
    "<subject>? <do>? <see> neither {elements:one} nor {elements:two}",
    "assert_hidden one - ; assert_hidden two -",
    'I should see neither "A" nor "B" => assert_hidden A ; assert_hidden B',
  ),
  seeing(
    "<subject>? <do>? <see> {quoted:text} in <url>",
    "assert_url - contains:text",
    'I see "/cart" in the url => assert_url ← */cart*',
    { cost: -0.5 },
  ),
  seeing(
    "<subject>? <do>? <see> {quoted:text} in <title>",
    "assert_title - contains:text",
    'I see "Shop" in the title => assert_title ← *Shop*',
    { cost: -0.5 },
  ),
  seeing(
    "expect|expects not to see {elements}",
    "assert_hidden elements -",
    'I expect not to see "Error" => assert_hidden Error',
    { cost: -0.1 },
  ),
  seeing(
    "there's no|not_a|not_any {elements}",
    "assert_hidden elements -",
    'There\'s no "Delete" button => assert_hidden "Delete" button',
    { cost: -0.2 },
  ),
  seeing(
    "no {named:elements} on|in the? page|screen",
    "assert_hidden elements -",
    'No "Promo" field on the page => assert_hidden "Promo" field',
  ),
  seeing(
    "<subject> <see_not> <text> {elements}",
    "assert_hidden elements -",
    'I should not see the text "Gone" => assert_hidden text "Gone"',
    { cost: -0.05 },
  ),
  seeing(
    "<subject>? <do>? get|gets <text>|a|an {named:elements}",
    "assert_visible elements -",
    'I get the message "Saved" => assert_visible Saved',
  ),
];

/** The text behind an arrow: `/search -> "12 results"`. */
export const outcomes = [
  outcome(
    "{quoted:elements}",
    "assert_visible elements -",
    'Open /search -> "12 results" => navigate ← /search ; assert_visible 12 results',
    { cost: 0.3 },
  ),
];
