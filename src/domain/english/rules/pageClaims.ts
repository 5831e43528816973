import { rowsOf } from "./table.ts";

const claim = rowsOf("Claim");

/** Claims of the address, the title and the whole page. */
export const pageClaims = [
  claim(
    "<url> <be> exactly|equal_to|still|now? {wholeAddress:url}",
    "assert_url - url",
    "The URL should be /cart => assert_url ← /cart",
  ),
  claim(
    "<url> <do>? <equal> <to>? {wholeAddress:url}",
    "assert_url - url",
    'The URL equals "/cart" => assert_url ← /cart',
  ),
  claim(
    "<url> <do>? <contain> <text>? {address:url}",
    "assert_url - contains:url",
    'The URL contains "checkout" => assert_url ← *checkout*',
  ),
  claim(
    "<url> <do>? <end> with|in {address:url}",
    "assert_url - ends:url",
    'The URL ends with "/users" => assert_url ← */users',
  ),
  claim(
    "<url> <do>? <begin> with {address:url}",
    "assert_url - starts:url",
    'The URL starts with "/users" => assert_url ← /users*',
  ),
  claim(
    "<url> <do>? match|matches|matching the? pattern|regex? {address:url}",
    "assert_url - url",
    'The URL should match "/user*" => assert_url ← /user*',
  ),
  claim(
    "<url> <do>? change|changes|switch|switches to {address:url}",
    "assert_url - url",
    "The URL changes to /cart => assert_url ← /cart",
  ),
  claim(
    "<url> <do>? change|changes to contain|include {address:url}",
    "assert_url - contains:url",
    'The URL changes to include "/home" => assert_url ← */home*',
  ),
  claim("<url> {address:url}", "assert_url - url", "Expect URL /done => assert_url ← /done", {
    cost: 0.3,
  }),
  claim(
    "is <title> {quoted:text}",
    "assert_title - text",
    'Is the page title "Plans"? => assert_title ← Plans',
  ),
  claim("is <url> {address:url}", "assert_url - url"),
  claim(
    "the? page|url {address:url} <should_be> open|opened|shown|displayed|loaded",
    "assert_url - url",
    'The page "/home" should be open => assert_url ← /home',
    { cost: -0.3 },
  ),
  claim(
    "the? page|url {address:url} is|are open|opened|shown|displayed|loaded",
    "assert_url - url",
    null,
    { cost: -0.3, moods: ["then"] },
  ),
  claim(
    "to_be|be <at> the? page? {url}",
    "assert_url - url",
    "Expect to be on /home => assert_url ← /home",
  ),
  claim(
    "the? page|url {address:url} <do>? open|opens|load|loads|appear|appears",
    "assert_url - url",
    null,
    { cost: -0.3 },
  ),
  claim(
    "<page> <be> titled|called|named {quoted:text}",
    "assert_title - text",
    'The page should be titled "Shop" => assert_title ← Shop',
    { cost: -0.5 },
  ),
  claim(
    "<title> <be> exactly|equal_to|still|now? {expected:text}",
    "assert_title - text",
    'The title should be "Home" => assert_title ← Home',
  ),
  claim(
    "<title> <do>? <equal> <to>? {expected:text}",
    "assert_title - text",
    'The page title reads "Home" => assert_title ← Home',
  ),
  claim(
    "<title> <do>? <contain> <text>? {expected:text}",
    "assert_title - contains:text",
    'The title contains "Home" => assert_title ← *Home*',
  ),
  claim(
    "<title> <do>? <begin> with {quoted:text}",
    "assert_title - starts:text",
    'The title starts with "Home" => assert_title ← Home*',
  ),
  claim(
    "<title> <do>? <end> with {quoted:text}",
    "assert_title - ends:text",
    'The title ends with "Home" => assert_title ← *Home',
  ),
  claim(
    "<title> <do>? match|matches {expected:text}",
    "assert_title - text",
    'The title matches "Ho*" => assert_title ← Ho*',
  ),
  claim(
    "the? page <do>? has|have|having <title> {quoted:text}",
    "assert_title - text",
    'The page should have the title "Home" => assert_title ← Home',
  ),
  claim(
    "<subject> <be> <redirected> the? page|url|address? {url} page|url?",
    "assert_url - url",
    "I should be redirected to /home => assert_url ← /home",
    { moods: ["none", "then", "when"] },
  ),
  claim(
    "<subject> am|am_now|am_still <at> the? page|url? {url} page|url?",
    "assert_url - url",
    "Then I am on /home => assert_url ← /home",
    { moods: ["none", "then"] },
  ),
  claim(
    "<subject> is|are|is_now|is_still|are_now <at> the? page|url? {url} page|url?",
    "assert_url - url",
    null,
    { moods: ["then"] },
  ),
  claim(
    "<subject> <should_be> <at> the? page|url? {url} page|url?",
    "assert_url - url",
    "I should be on /home => assert_url ← /home",
  ),
  claim("<subject> <should_be> <at> <home>", "assert_url - =/", null),
  claim(
    "<subject> <do>? <land> the? page|url|address? {url} page|url?",
    "assert_url - url",
    "The user lands on /home => assert_url ← /home",
    { moods: ["none", "then"] },
  ),
  claim(
    "<page> <be> <redirected> the? page|url|address? {url} page?",
    "assert_url - url",
    "The page is redirected to /home => assert_url ← /home",
  ),
  claim(
    "<page> <do>? redirects|redirect|navigates|navigate|goes|go|leads|changes|change to the? page|url? {url} page?",
    "assert_url - url",
    "The page redirects to /home => assert_url ← /home",
    { moods: ["none", "then"] },
  ),
  claim(
    "<page> <do>? <hold> <text>? {quotedList:text}",
    "assert_visible text -",
    'The page should contain "Welcome back" => assert_visible Welcome back',
  ),
  claim(
    "<page> <do>? <hold> <text>? {elements}",
    "assert_visible elements -",
    'The page shows the "Save" button => assert_visible "Save" button',
    { cost: 0.1 },
  ),
  claim(
    "<page> <do_not> <hold> <text>|any|a? {elements}",
    "assert_hidden elements -",
    'The page should not contain "Error" => assert_hidden Error',
  ),
  claim(
    "<page> <do>? <hold> {number} {counted}",
    "assert_count counted number",
    "The page should have 3 images => assert_count images ← 3",
    { cost: -0.1 },
  ),
  claim(
    "{quoted:text} <be>? in <url>",
    "assert_url - contains:text",
    'Verify that "cart" is in the URL => assert_url ← *cart*',
    { cost: -0.2 },
  ),
  claim(
    "<subject>? <be> <redirected>|<at>|<land> <home>",
    "assert_url - =/",
    "The user is redirected to the home page => assert_url ← /",
    { cost: -0.3, moods: ["then", "when", "none"] },
  ),
  claim(
    "<subject>? <be>|am|is|are still|now? <redirected> the? page|url|address? {url} page?",
    "assert_url - url",
    'I am redirected to "/cart" => assert_url ← /cart',
    { cost: -0.1 },
  ),
  claim(
    "<subject> goes_to|go_to|return_to|returns_to the? page|url? {url} page|url?",
    "assert_url - url",
    null,
    { moods: ["then"] },
  ),
  claim(
    "<title> {quoted:text}",
    "assert_title - text",
    'Verify the title "Receipt" => assert_title ← Receipt',
    { cost: -0.5 },
  ),
  claim(
    "to <land> the? page? {address:url}",
    "assert_url - url",
    'Expect to land on "/home" => assert_url ← /home',
  ),
  claim(
    "the? current? page|screen <be> {webUrl:url}",
    "assert_url - url",
    "The current page should be https://a.test/b => assert_url ← https://a.test/b",
    { cost: -0.2 },
  ),
  claim(
    "<subject>|the_browser <be> <redirected> a|the url|address|page that|which contains|includes {address:url}",
    "assert_url - contains:url",
    'The browser is taken to a URL that contains "utm" => assert_url ← *utm*',
    { cost: -0.3 },
  ),
];
