import { rowsOf } from "./table.ts";

const command = rowsOf("Command");

/** Texts that are typed into fields. */
export const fields = [
  command(
    "<fill> <text>|<filler>|in? {text} <into> {field}",
    "fill field text",
    'Type "ann@example.com" into Email => fill Email ← ann@example.com',
    { again: ["{text} <into> {field}"] },
  ),
  command(
    "<fill> <text>|<filler>|in? {text} as|for|as_the|as_your|in_as|as_a|as_an|as_my|for_the|for_your {field}",
    "fill field text",
    'Enter "x" as Email => fill Email ← x',
    { again: ["{text} as|for|as_the|as_a|as_my|for_the {field}"] },
  ),
  command(
    "<fill> {field} in|out with <text>? {text}",
    "fill field text",
    "Fill Cardholder in with MR DOE => fill Cardholder ← MR DOE",
    { cost: -0.3 },
  ),
  command(
    "<fillout> in|out? your|the_text_in|the_value_of|the_text_of? {field} with|:|with_: <text>|<filler>? {text}",
    "fill field text",
    'Fill in Password with "secret" => fill Password ← secret',
    { again: ["{field} with <text>? {text}", "{knownField:field} {bareValue:text}"] },
  ),
  command(
    "<fill> your? {field} with|as|: <text>? {text}",
    "fill field text",
    'Enter Email as "a@b.c" => fill Email ← a@b.c',
    { again: ["{field} with|as|: {text}"] },
  ),
  command(
    "<fillout> in|out? the? form|fields|details : (Command)",
    "@Command",
    "Fill in the form: Name = Ann, Age = 30 => fill Name ← Ann ; fill Age ← 30",
    { cost: -0.3 },
  ),
  command("<fill> {field:field} = {text}", "fill field text", null, {
    again: ["{field} = {text}"],
  }),
  command(
    "<change> the? value_of|value_in|text_in|text_of|content_of|contents_of? {field} to|as|:|to_: <text>|<filler>? {text}",
    "fill field text",
    "Set the Quantity field to 3 => fill Quantity field ← 3",
    { again: ["{field} to {text}"] },
  ),
  command(
    "<change> {strictChooser:chooser} to|as|: <text>? {option}",
    "select chooser option",
    'Set the Country dropdown to "Canada" => select Country dropdown ← Canada',
    { again: ["{strictChooser:chooser} to {option}"], cost: -0.5 },
  ),
  command(
    "set|turn|switch {tickable} to on",
    "check tickable -",
    'Set "Notify me" to on => check Notify me',
    { cost: -0.5 },
  ),
  command("set|turn|switch {tickable} to off", "uncheck tickable -", null, { cost: -0.5 }),
  command(
    "for|under|at|as {field} , enter|type|put|write|input <text>? {text}",
    "fill field text",
    'For Description, enter "Smoke" => fill Description ← Smoke',
  ),
  command(
    "in|into|on {field} , enter|type|put|write|input|fill|fill_in|key_in|paste <text>? {text}",
    "fill field text",
    'In the Email field, type "a@b.c" => fill Email field ← a@b.c',
    { again: ["in|into {field} , enter|type|put? {text}"] },
  ),
  command(
    "in|into|on {field} enter|type|put|write|input|fill|fill_in|key_in|paste <text>? {text}",
    "fill field text",
    'In the Email field type "a@b.c" => fill Email field ← a@b.c',
  ),
  command(
    "{fieldName:field} : {quoted:text}",
    "fill field text",
    'Email: "a@b.c" => fill Email ← a@b.c',
    { again: ["{fieldName:field} : {quoted:text}"] },
  ),
  command("{fieldName:field} = {text}", "fill field text", "qty = 3 => fill qty ← 3", {
    again: ["{fieldName:field} = {text}"],
    cost: 0.3,
  }),
  command(
    "<clear> out? {clearables:field}",
    "clear field -",
    'Clear the "Coupon" field => clear "Coupon" field',
    {
      again: [
        "enter|type|input|write|put|enters|types {bareValue:text} in|into|there? it? => fill $ text",
      ],
    },
  ),
  command(
    "<leave> {elements:field} empty|blank|unfilled",
    "fill field -",
    'Leave the "Phone" field empty => fill "Phone" field',
  ),
  command("<leave> {elements:field} unchecked|unticked|unselected", "uncheck field -"),
  command("<leave> {elements:field} checked|ticked|selected", "check field -"),
  command("<fill> <text>? {quoted:text} <slowly> <into> {field}", "type field text", null),
  command(
    "slowly|gradually <fill> <text>? {quoted:text} <into> {field}",
    "type field text",
    'Slowly type "Oslo" into "City" => type City ← Oslo',
  ),
  command("<fill> <text>? {quoted:text} <slowly_comma> <into> {field}", "type field text"),
  command("<fill> <slowly> <text>? {quoted:text} <into> {field}", "type field text", null),
  command(
    "<fill> <text>? {quoted:text} <into> {field} ,? <slowly>",
    "type field text",
    'Type "hello" key by key into the "Search" field => type "Search" field ← hello',
    { cost: -0.1 },
  ),
  command("<fill> <text>? {quoted:text} , ,? <slowly> , <into> {field}", "type field text", null),
  command(
    "<fill> your|my|his|her|a|an? {bareField:field} {bareValue:text}",
    "fill field text",
    'Enter username "ann" and password "secret" => fill username ← ann ; fill password ← secret',
    {
      cost: 0.1,
      again: ["your|my|a|an? {bareField:field} {bareValue:text}", "{field} with {text}"],
    },
  ),
  command(
    "{knownField:field} : {freeText:text}",
    "fill field text",
    "Town: Whitby => fill Town ← Whitby",
    { cost: 0.2, again: ["{knownField:field} : {freeText:text}"] },
  ),
  command(
    "{knownField:field} = {freeText:text}",
    "fill field text",
    "Password = secret => fill Password ← secret",
    { cost: 0.1, again: ["{knownField:field} = {freeText:text}"] },
  ),
  command(
    "{knownField:field} {quoted:text}",
    "fill field text",
    'username "qa1", pw "qa1pass" => fill username ← qa1 ; fill pw ← qa1pass',
    { cost: 0.3, moods: ["none"], again: ["{knownField:field} {quoted:text}"] },
  ),
  command(
    "<change> {field} from {quoted:old} to {quoted:text}",
    "fill field text",
    'Change the "Quantity" field from "1" to "5" => fill "Quantity" field ← 5',
    { cost: -0.3 },
  ),
  command(
    "replace the? text|value|content|contents in|of {field} with|by {text}",
    "fill field text",
    'Replace the text in the "Title" field with "New" => fill "Title" field ← New',
    { cost: -0.3 },
  ),
  command(
    "make {field} empty|blank",
    "clear field -",
    'Make the "Email" field empty => clear "Email" field',
  ),
  command(
    "erase|delete|remove|clear|empty the? content|contents|text|value of|in|from {field}",
    "clear field -",
    'Erase the contents of the "Notes" field => clear "Notes" field',
    { cost: -0.6, again: ["enter|type|input|write {quoted:text} => fill $ text"] },
  ),
  command(
    "send|sends|type|types keys|the_keys|the_text {quoted:text} to|into {field}",
    "fill field text",
    'Send keys "abc" to "Name" => fill Name ← abc',
    { cost: -0.2 },
  ),
  command(
    "add|adds|append|appends <text>? {quoted:text} to|in {strictField:field}",
    "type field text",
    'Append "more" to the "Notes" field => type "Notes" field ← more',
    { cost: -0.2 },
  ),
  command(
    "search|searches for? {text} in|using|with|on|via {field}",
    "fill field text",
    'Search for "chair" in the Search field => fill Search field ← chair',
  ),
  command(
    "<fill> the|a? {noun} {bareValue:text} <into> {field}",
    "fill field text",
    'Enter the city "Rome" in the "Town" field => fill "Town" field ← Rome',
    { cost: -0.2 },
  ),
  command(
    "the {noun} {quoted:text} <passive> <fill:participle> <into> {field}",
    "fill field text",
    'The password "x1" is entered in the Password field => fill Password field ← x1',
    { cost: 0.5 },
  ),
  command(
    "<change> {strictChooser:chooser} from {quoted:old} to {quoted:text}",
    "select chooser text",
    'Change the Currency dropdown from "A" to "B" => select Currency dropdown ← B',
    { cost: -0.6 },
  ),
  command(
    "replace|replaces {field} with|by <text>? {text}",
    "fill field text",
    'Replace "Street" with "Elm 9" => fill Street ← Elm 9',
    { cost: 0.1 },
  ),
  command(
    "<fill> in|into {field} <text>|<filler> {text}",
    "fill field text",
    'Enter in the field "Parts" the text "gasket" => fill field "Parts" ← gasket',
    { cost: -0.2 },
  ),
  command(
    "write|type|enter|put {quoted:text} to {field}",
    "fill field text",
    'Write "5" to Quantity => fill Quantity ← 5',
    { cost: 0.1 },
  ),
  command(
    "give {quoted:text} as|for|to {field}",
    "fill field text",
    'Give "Roof leak" as Subject => fill Subject ← Roof leak',
  ),
  command(
    "{strictField:field} : type|enter|write|put|input? {text}",
    "fill field text",
    '"Username" field: type "ann" => fill "Username" field ← ann',
  ),
];
