import { rowsOf } from "./table.ts";

const clause = rowsOf("Clause");

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
    { again: ["{elements} => assert_visible elements -"] },
  ),
  clause("(Seeing)", "@Seeing", null, {
    again: [
      "{elements} => assert_visible elements -",
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
];
