import { rowsOf } from "./table.ts";

const claim = rowsOf("Claim");

/** A subject and what is asserted of it. */
export const claims = [
  claim(
    "{things:subject} (Predicate)",
    "subject@Predicate",
    '"Order placed" is displayed => assert_visible Order placed',
  ),
  claim(
    "<message> <do>? <read> <exactly>? {quoted:text}",
    "assert_visible text -",
    'The error message reads "Expired" => assert_visible Expired',
    { cost: -0.2 },
  ),
  claim(
    "{place} <do_not> <contain> <text>? {quotedList:text}",
    "assert_hidden in:text:place -",
    'The list should not contain "Spam" => assert_hidden "Spam" in the list',
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
  claim(
    "{elements:subject} can be clicked|pressed|used|tapped",
    "assert_enabled subject -",
    'The "Save" button can be clicked => assert_enabled "Save" button',
    { cost: -0.2 },
  ),
  claim(
    "{elements:subject} cannot|can_not|can't be clicked|pressed|used|tapped",
    "assert_disabled subject -",
    'The "Save" button cannot be clicked => assert_disabled "Save" button',
    { cost: -0.2 },
  ),
  claim(
    "the? text of|on|in {element:subject} <be>|changes_to|changed_to {expected:text}",
    "assert_text subject text",
    'The text on the button is "Save" => assert_text button ← Save',
    { cost: -0.35 },
  ),
  claim(
    "{element:subject} text|label|caption <changes> to {expected:text}",
    "assert_text subject text",
    'The button text changes to "B" => assert_text button ← B',
    { cost: -0.3 },
  ),
  claim(
    "the? {htmlAttribute:attribute} text|attribute? of|on {element:subject} <be>|<equal> {expected:text}",
    "assert_attribute subject attribute=text",
    'The alt text of the "Logo" image should be "Acme" => assert_attribute "Logo" image ← alt=Acme',
    { cost: -0.5 },
  ),
  claim(
    "the? attribute {attribute} of|on {element:subject} <be>|<equal> {expected:text}",
    "assert_attribute subject attribute=text",
    'The attribute aria-expanded of the "P" button should be "true" => assert_attribute "P" button ← aria-expanded=true',
    { cost: -0.5 },
  ),
  claim(
    "{possessive:subject} {htmlAttribute:attribute} text|attribute? <be>|<equal> {address:text}",
    "assert_attribute subject attribute=text",
    'The "Docs" link\'s href is "/docs" => assert_attribute "Docs" link ← href=/docs',
    { cost: -0.5 },
  ),
  claim(
    "{possessive:subject} {htmlAttribute:attribute} text|attribute? <be>|<equal> {expected:text}",
    "assert_attribute subject attribute=text",
    null,
    { cost: -0.4 },
  ),
  claim(
    "{field:subject} value <be> exactly? {expected:text}",
    "assert_value subject text",
    'The "Email" input value should be "a" => assert_value "Email" input ← a',
    { cost: -0.3 },
  ),
  claim(
    "the? value {quoted:text} <be> in {field:subject}",
    "assert_value subject text",
    'The value "Ann" should be in the "name" field => assert_value "name" field ← Ann',
    { cost: -0.3 },
  ),
  claim(
    "the? option? {quoted:text} <be> <selected> in|from|for|as {optionField:subject}",
    "assert_value subject text",
    'The option "Canada" should be selected in "Country" => assert_value Country ← Canada',
    { cost: -0.4 },
  ),
  claim(
    "{quoted:text} <be> <visible> in|inside|within {holder:subject}",
    "assert_contains subject text",
    'Verify that "5" is displayed in the "Total" cell => assert_contains "Total" cell ← 5',
    { cost: -0.2 },
  ),
  claim(
    "neither {elements:one} nor {elements:two} <be> <visible>",
    "assert_hidden one - ; assert_hidden two -",
    'Neither "A" nor "B" is displayed => assert_hidden A ; assert_hidden B',
  ),
  claim(
    "nothing called|named {quoted:text} <be> <visible>",
    "assert_hidden text -",
    'Nothing called "Old" may be shown => assert_hidden Old',
  ),
  claim(
    "{place} has|have|should_have|must_have|includes|should_include a|an {elements}",
    "assert_visible in:elements:place -",
    'The "Cart" section has a "Pay" button => assert_visible "Pay" button in the "Cart" section',
    { cost: -0.3 },
  ),
  claim(
    "<number_of> {counted} = {number}",
    "assert_count counted number",
    "Number of rows = 3 => assert_count rows ← 3",
  ),
  claim(
    "exactly|only? {number} {counted} left|in_total|remain|remains|remaining",
    "assert_count counted number",
    null,
    { moods: ["then"] },
  ),
  claim(
    "{selector:subject} <do>? <equal> <to>? {expected:text}",
    "assert_text subject text",
    '#total should equal "5" => assert_text #total ← 5',
  ),
  claim(
    "{button:subject} <be> active",
    "assert_enabled subject -",
    "The Submit button becomes active => assert_enabled Submit button",
    { cost: -0.3 },
  ),
  claim("{button:subject} <be_not> active", "assert_disabled subject -", null, { cost: -0.3 }),
  claim(
    "{messageName:subject} <do>? <contain> <text>? {quoted:text}",
    "assert_contains subject text",
    'The success message should contain "42" => assert_contains success message ← 42',
    { cost: -1.2 },
  ),
];
