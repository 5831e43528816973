import { rowsOf } from "./table.ts";

const command = rowsOf("Command");
const LIMIT =
  "max|maximum|up_to|at_most|for_up_to|for_at_most|for_max|no_more_than|no_longer_than|a_maximum_of";

/** Pauses and waits. */
export const waits = [
  command(
    "<wait> for|about|at_least|approximately|another? {duration}",
    "wait - duration",
    "Wait 2 seconds => wait ← 2 seconds",
  ),
  command(
    "<wait> for {waited:elements}",
    "wait_for elements -",
    'Wait for the "Welcome" heading => wait_for "Welcome" heading',
  ),
  command(
    "<wait> for|until|till {elements} <to_appear>",
    "wait_for elements =visible",
    'Wait for "Done" to appear => wait_for Done ← visible',
    { cost: -0.1 },
  ),
  command(
    "<wait> for|until|till {elements} <to_vanish>",
    "wait_for elements =hidden",
    'Wait until "Loading" disappears => wait_for Loading ← hidden',
    { cost: -0.1 },
  ),
  command(
    "<wait> for|until|till {elements} <to_enable>",
    "wait_for elements =enabled",
    'Wait for the "Save" button to be enabled => wait_for "Save" button ← enabled',
    { cost: -0.1 },
  ),
  command(
    "<wait> until|till|for|that (Claim)",
    "wait@Claim",
    'Wait until "Done" is no longer visible => wait_for Done ← hidden',
  ),
  command(
    "<wait> until|till (Seeing)",
    "wait@Seeing",
    'Wait until I see "Done" => wait_for Done ← visible',
  ),
  command(
    `<wait> ${LIMIT} {limit} for {waited:elements} <to_appear>?`,
    "wait_for elements visible_within:limit",
    'Wait max 30 seconds for "Done" => wait_for Done ← visible within 30 seconds',
  ),
  command(
    `<wait> ${LIMIT} {limit} for|until {elements} <to_vanish>`,
    "wait_for elements hidden_within:limit",
    'Wait up to 1 minute until "Done" disappears => wait_for Done ← hidden within 1 minute',
    { cost: -0.1 },
  ),
  command(
    `<wait> for {waited:elements} <to_appear>? ${LIMIT}|within {limit}`,
    "wait_for elements visible_within:limit",
    'Wait for "Done" for at most ten seconds => wait_for Done ← visible within 10 seconds',
  ),
  command(
    `<wait> for|until {elements} <to_vanish> ${LIMIT}|within {limit}`,
    "wait_for elements hidden_within:limit",
    'Wait until "Done" disappears within 5 seconds => wait_for Done ← hidden within 5 seconds',
    { cost: -0.1 },
  ),
  command("<wait> for? half a second", "wait - =500_ms", "Wait half a second => wait ← 500 ms", {
    cost: -1,
  }),
  command(
    "<wait> to <see> <text>? {elements}",
    "wait_for elements =visible",
    'Wait to see "Done" => wait_for Done ← visible',
  ),
  command("<wait> on {elements}", "wait_for elements -", "I wait on #made => wait_for #made", {
    cost: -0.2,
  }),
  command(
    "<wait> on {elements} <to_appear>",
    "wait_for elements =visible",
    "I wait on #made to be displayed => wait_for #made ← visible",
    { cost: -0.2 },
  ),
  command(
    "after {duration} ,?",
    "wait - duration",
    'After 2 seconds, click "Save" => wait ← 2 seconds ; click Save',
  ),
  command(
    "<wait> until|till|for {elements} can be clicked|pressed|used",
    "wait_for elements =enabled",
    'Wait until the "Save" button can be clicked => wait_for "Save" button ← enabled',
    { cost: -0.3 },
  ),
  command(
    "<wait> for? up_to|at_most|max|maximum|a_maximum_of|no_longer_than|for_up_to {duration} for {elements} <to_appear>?",
    "wait_for elements within:duration",
    'Wait up to 10 seconds for the "Results" heading => wait_for "Results" heading ← visible within 10 seconds',
    { cost: -0.4 },
  ),
  command(
    "<wait> for? up_to|at_most|max|maximum|a_maximum_of|no_longer_than|for_up_to {duration} until|till|for {elements} <be>? <visible>|appears|appear",
    "wait_for elements within:duration",
    'Wait max 30 seconds until "Done" is shown => wait_for Done ← visible within 30 seconds',
    { cost: -0.4 },
  ),
  command(
    "<wait> for {elements} for? up_to|at_most|max|maximum|within|no_longer_than {duration}",
    "wait_for elements within:duration",
    'Wait for "Done" up to 5 seconds => wait_for Done ← visible within 5 seconds',
    { cost: -0.4 },
  ),
  command(
    "<wait> until|till|for {elements} is|has|are|have loaded|finished_loading|been_loaded|fully_loaded",
    "wait_for elements =visible",
    'Wait until "Dashboard" has loaded => wait_for Dashboard ← visible',
    { cost: -0.3 },
  ),
];
