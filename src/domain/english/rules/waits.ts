import { rowsOf } from "./table.ts";

const command = rowsOf("Command");

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
];
