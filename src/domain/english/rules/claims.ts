import { rowsOf } from "./table.ts";

const claim = rowsOf("Claim");

const predicate = rowsOf("Predicate");
const state = rowsOf("State");
const stated = rowsOf("Text");
const verb = rowsOf("Verb");
const effect = rowsOf("Effect");

/** A subject and what is asserted of it. */
export const claims = [
  claim(
    "{things:subject} (Predicate)",
    "subject@Predicate",
    '"Order placed" is displayed => assert_visible Order placed',
  ),
  claim(
    "<url> <be> exactly|equal_to|still|now? {address:url}",
    "assert_url - url",
    "The URL should be /cart => assert_url ← /cart",
  ),
  claim(
    "<url> <do>? <equal> <to>? {address:url}",
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
    "<message> <do>? <read> <exactly>? {quoted:text}",
    "assert_visible text -",
    'The error message reads "Expired" => assert_visible Expired',
    { cost: -0.2 },
  ),
  claim(
    "to_be|be <at> the? page? {url}",
    "assert_url - url",
    "Expect to be on /home => assert_url ← /home",
  ),
  claim(
    "{place} <do_not> <contain> <text>? {quotedList:text}",
    "assert_hidden in:text:place -",
    'The list should not contain "Spam" => assert_hidden "Spam" in the list',
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
    "{field:subject} <be> filled|populated|pre-filled|prefilled|prepopulated|pre-populated|filled_in with {expected:text}",
    "assert_value subject text",
    'The "Name" field is pre-filled with "Bob" => assert_value "Name" field ← Bob',
    { cost: -0.9, moods: ["none", "then"] },
  ),
  claim(
    "{element:subject} text <be> exactly? {expected:text}",
    "assert_text subject text",
    'The heading text should be "Dashboard" => assert_text heading ← Dashboard',
    { cost: -0.3 },
  ),
  claim(
    "{element:subject} text <do>? <equal> {expected:text}",
    "assert_text subject text",
    'Verify the heading text equals "Dashboard" => assert_text heading ← Dashboard',
    { cost: -0.3 },
  ),
  claim("{kinded:subject} <do>? <equal> <to>? {expected:text}", "assert_text subject text", null, {
    cost: 0,
  }),
  claim(
    "{possessive:subject} value <be> exactly? {expected:text}",
    "assert_value subject text",
    "The Quantity field's value is 1 => assert_value Quantity field ← 1",
    { cost: -0.3 },
  ),
  claim(
    "{element:what} , {quoted:text} , <be> <visible>",
    "assert_visible text -",
    'A confirmation message, "Published", is displayed => assert_visible Published',
    { cost: -0.5 },
  ),
  claim(
    "{possessive:subject} text|label <be> exactly? {expected:text}",
    "assert_text subject text",
    'The heading\'s text is "Welcome" => assert_text heading ← Welcome',
    { cost: -0.5 },
  ),
  claim(
    "the? following <text> <be> <visible> : {quotedList:text}",
    "assert_visible text -",
    'The following message is displayed: "Saved" => assert_visible Saved',
    { cost: -0.3 },
  ),
  claim("the? following <text> <do>? <appear> : {quotedList:text}", "assert_visible text -", null, {
    cost: -0.3,
  }),
  claim(
    "the? selected|chosen option|value in|of {strictChooser:subject} <be> {expected:text}",
    "assert_value subject text",
    'The selected option in the "Country" dropdown is "Canada" => assert_value "Country" dropdown ← Canada',
    { cost: -0.5 },
  ),
  claim(
    "the? option? {quoted:text} <be> <selected> in|from {strictChooser:subject}",
    "assert_value subject text",
    '"Canada" is selected in the "Country" dropdown => assert_value "Country" dropdown ← Canada',
    { cost: -0.5 },
  ),
  claim(
    "{boxOnly:subject} <be> <selected>",
    "assert_checked subject -",
    'The "Express" radio button should be selected => assert_checked "Express" radio button',
    { cost: -0.2 },
  ),
  claim("{boxOnly:subject} <be_not> <selected>", "assert_unchecked subject -", null, {
    cost: -0.2,
  }),
  claim(
    "{element:subject} <do>? has|have|having url|link|href|the_url|the_href|the_link|address {address:text}",
    "assert_attribute subject 'href'=text",
    'The "Docs" link has the URL "/docs" => assert_attribute "Docs" link ← href=/docs',
    { cost: -0.3 },
  ),
  claim(
    "the? system|app|application|ui|website|site <do>? <hold> <text>? {elements}",
    "assert_visible elements -",
    'The system shows "Saved" => assert_visible Saved',
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
    "{element:place} <has> {number} {counted}",
    "assert_count in:counted:place number",
    'The "Orders" table has 3 rows => assert_count rows in the "Orders" table ← 3',
    { cost: -0.3 },
  ),
  claim(
    "<number_of> {counted} <count_is> {number}",
    "assert_count counted number",
    "The number of rows should be 3 => assert_count rows ← 3",
    { cost: -0.3 },
  ),
  claim(
    "exactly|only? {number} {counted} <be> <visible>",
    "assert_count counted number",
    "3 rows are displayed => assert_count rows ← 3",
    { cost: -0.3 },
  ),
  claim(
    "exactly|only? {number} {counted} <do>? <appear>",
    "assert_count counted number",
    "3 rows appear => assert_count rows ← 3",
    { cost: -0.3 },
  ),
  claim(
    "<the_value> of|in {field:subject} <be> exactly|still|now|set_to? {expected:text}",
    "assert_value subject text",
    'The value of the "Email" field should be "x" => assert_value "Email" field ← x',
    { cost: -0.2 },
  ),
  claim(
    "<the_value> of|in {field:subject} <do>? equal|equals|read|reads {expected:text}",
    "assert_value subject text",
    'The value of the "Email" field equals "x" => assert_value "Email" field ← x',
    { cost: -0.2 },
  ),
  claim(
    "the? {attribute} attribute? of {element:subject} <be> {expected:text}",
    "assert_attribute subject attribute=text",
    'The placeholder of the "Search" field should be "Find" => assert_attribute "Search" field ← placeholder=Find',
    { cost: 0.3 },
  ),
  claim(
    "the? text of {element:subject} <be> exactly? {expected:text}",
    "assert_text subject text",
    'The text of the heading should be "Cart" => assert_text heading ← Cart',
    { cost: -0.3 },
  ),
  claim(
    "the? text of {element:subject} <do>? <equal> {expected:text}",
    "assert_text subject text",
    'The text of the heading equals "Cart" => assert_text heading ← Cart',
    { cost: -0.3 },
  ),
];

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
    "have|has|having the|a|an? {htmlAttribute:attribute} text? of|set_to|=|with_value|equal_to? {quoted:text}",
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
