import { rowsOf } from "./table.ts";

const command = rowsOf("Command");

/** Stored values and called tests. */
export const variables = [
  command(
    "<store> the? text|value|content|contents|number|label of|in|from {element} <as> {variable}",
    "store element variable",
    'Store the text of "Order number" as orderId => store Order number ← orderId',
  ),
  command(
    "<retain> {element} <as> {variable}",
    "store element variable",
    "Store the total as sum => store total ← sum",
    { cost: 0.4 },
  ),
  command(
    "<run> <test> {test}",
    "call_test test -",
    'Run the test "Sign in as admin" => call_test Sign in as admin',
  ),
  command(
    "run|execute|call|runs {quotedOnly:test}",
    "call_test test -",
    'Run "Log out" => call_test Log out',
  ),
  command(
    "<run> the? {quoted:test} test|test_case",
    "call_test test -",
    'Run the "Sign in" test => call_test Sign in',
  ),
  command(
    "<run> <test> {test} first|as_first_step|as_the_first_step|at_the_start|to_start_with",
    "call_test test -",
    'Run the test "Sign in" first => call_test Sign in',
  ),
  command(
    "save|store|keep|log|note|copy|read the? text|value|content? of? {selector:element} as|in|into variable|the_variable? {variable}",
    "store element variable",
    "Save #total as total => store #total ← total",
    { cost: 0.1 },
  ),
  command(
    "copy|read|keep|remember|store|save the? value|text of {element} into|as|in {variable}",
    "store element variable",
    null,
    { cost: -0.1 },
  ),
  command(
    "keep|remember {element} as {braced:variable}",
    "store element variable",
    "Keep the booking code as ${code} => store booking code ← code",
    { cost: -0.2 },
  ),
  command(
    "<perform>|<run>|follow|repeat the? steps of|from|in|for the? test? {test}",
    "call_test test -",
    'Perform the steps of "Log in" => call_test Log in',
    { cost: -0.4 },
  ),
  command(
    "get|read|copy|take|grab|find the? text|value|content? of? {element} and <store> it <as> {variable}",
    "store element variable",
    'Get the text of "Total price" and store it as total => store Total price ← total',
    { cost: -0.3 },
  ),
  command(
    "<store> {element} in|into|to|as the? variable {variable}",
    "store element variable",
    'Save "Subtotal" into the variable sub => store Subtotal ← sub',
  ),
];
