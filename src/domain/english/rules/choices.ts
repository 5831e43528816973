import { rowsOf } from "./table.ts";

const command = rowsOf("Command");

/** Options, boxes and files. */
export const choices = [
  command(
    "<select> the? option|value? {option} option|value? <from> {chooser}",
    "select chooser option",
    'Select "Norway" from the "Country" dropdown => select "Country" dropdown ← Norway',
    { again: ["{option} <from> {chooser}"] },
  ),
  command(
    "<select> {texts:text} <from> {chooser} in_this_order?",
    "select chooser lines:text",
    'Select "Red" and "Blue" from the Colors list => select Colors list ← Red⏎Blue',
    { cost: -0.7 },
  ),
  command(
    "<select> {quoted:option} as|for {optionField:field}",
    "select field option",
    'Select "Norway" as Country => select Country ← Norway',
    { again: ["{quoted:option} as|for {optionField:field}"] },
  ),
  command(
    "<select> the? option|value? {option} option|value? <from> {strictChooser:chooser}",
    "select chooser option",
    'Pick "Norway" in the Country list => select Country list ← Norway',
    { cost: -0.6, again: ["{option} <from> {strictChooser:chooser}"] },
  ),
  command(
    "in|from|on|under|using|with {strictChooser:chooser} , <select> the? option? {option}",
    "select chooser option",
    "In the Format list, choose PDF => select Format list ← PDF",
    { cost: -0.8 },
  ),
  command(
    "in|from|on|under {strictChooser:chooser} <select> the? option? {option}",
    "select chooser option",
    'From the "Sort" dropdown choose "Name" => select "Sort" dropdown ← Name',
    { cost: -0.8 },
  ),
  command(
    "use {chooser} to select|choose|pick {option}",
    "select chooser option",
    "Use the Currency dropdown to select Euro => select Currency dropdown ← Euro",
  ),
  command(
    "<tick> the? {tickables}",
    "check tickables -",
    'Tick "I agree to the terms" => check I agree to the terms',
    { again: ["{listed:tickables} => check tickables -"] },
  ),
  command("<tick> the? option {quoted}", "check quoted -"),
  command(
    "<select> {boxes}",
    "check boxes -",
    'Select the "Annual" radio button => check "Annual" radio button',
  ),
  command(
    "<enable> {tickables}",
    "check tickables -",
    'Turn on the "Dark mode" switch => check "Dark mode" switch',
  ),
  command(
    "turn|switch|toggle|flip {tickables} on",
    "check tickables -",
    'Turn the "Dark mode" switch on => check "Dark mode" switch',
  ),
  command(
    "turn|switch|toggle|flip {tickables} off",
    "uncheck tickables -",
    'Turn the "Dark mode" switch off => uncheck "Dark mode" switch',
  ),
  command(
    "<untick> {tickables}",
    "uncheck tickables -",
    'Uncheck the "Newsletter" checkbox => uncheck "Newsletter" checkbox',
    { again: ["{listed:tickables} => uncheck tickables -"] },
  ),
  command(
    "<disable> {tickables}",
    "uncheck tickables -",
    'Turn off the "Digest" toggle => uncheck "Digest" toggle',
  ),
  command(
    "<clear> {boxOnly:boxes}",
    "uncheck boxes -",
    'Clear the "Renew" checkbox => uncheck "Renew" checkbox',
    { cost: -0.2 },
  ),
  command(
    "<upload> the|a|an|your|my? file|files|document|image|picture|photo? {file} file? to|into|in|for|as|on|onto|using|via|through|with|at {element}",
    "upload element file",
    'Upload "photo.png" to the "Avatar" field => upload "Avatar" field ← photo.png',
    { again: ["{file} to|as|into|in|for {element}"] },
  ),
  command(
    "<upload> the? file|files? {quotedList:file} to|into|in|for|as|on|onto {element}",
    "upload element file",
    'Attach "a.txt" and "b.txt" to "Files" => upload Files ← a.txt ; upload Files ← b.txt',
  ),
  command(
    "<choose> {fileName:file} in|for|as_the_file_for|as_file_for|as|from {element}",
    "upload element file",
    'Choose passport.jpg in the "Proof" upload field => upload "Proof" upload field ← passport.jpg',
    { cost: -1 },
  ),
  command(
    "in {element} , upload|attach|choose|select the? file? {file}",
    "upload element file",
    null,
    { cost: 0.1 },
  ),
  command(
    "from {chooser} ,? <select> the? option? {option} option?",
    "select chooser option",
    'From "Country" select "Canada" => select Country ← Canada',
    { cost: -0.1 },
  ),
  command(
    "<select> {option} as|for the|your|my|a|an {optionField:field}",
    "select field option",
    "Select Large as the size => select size ← Large",
    { cost: -0.1 },
  ),
  command(
    "<change_value> {strictChooser:chooser} to {option}",
    "select chooser option",
    'Switch the "System" dropdown to Linux => select "System" dropdown ← Linux',
    { cost: -0.5 },
  ),
  command(
    "<select> the? option with the? text|name|label|value {quoted:option} from|in|for|of {optionField:field}",
    "select field option",
    'Select the option with the text "Two" for the "Size" field => select "Size" field ← Two',
    { cost: -0.5 },
  ),
  command(
    "mark|set {tickables} as|to checked|ticked|selected",
    "check tickables -",
    'Mark the "Terms" checkbox as checked => check "Terms" checkbox',
    { cost: -0.5 },
  ),
  command(
    "mark|set {tickables} as|to unchecked|unticked|unselected",
    "uncheck tickables -",
    'Set the "Terms" checkbox to unchecked => uncheck "Terms" checkbox',
    { cost: -0.5 },
  ),
  command(
    "remove|clear|take|delete the? tick|check|checkmark|check_mark from|in|out_of|at|off {tickables}",
    "uncheck tickables -",
    'Remove the tick from "Newsletter" => uncheck Newsletter',
    { cost: -0.3 },
  ),
  command(
    "drop|drops the? file? {fileName:file} on|onto|in|into {element}",
    "upload element file",
    'Drop "a.csv" onto the "Drop files here" area => upload "Drop files here" area ← a.csv',
    { cost: -0.5 },
  ),
  command(
    "<select> the? option|value? {option} using|via|through|with|by_using {strictChooser:chooser}",
    "select chooser option",
    'Select "Canada" using the Country dropdown => select Country dropdown ← Canada',
    { cost: -0.6 },
  ),
  command(
    "the? file? {file} <passive> <upload:participle> to|into|in|for|as {element}",
    "upload element file",
    'The file "b.xlsx" is uploaded to the "Files" field => upload "Files" field ← b.xlsx',
    { cost: 0.2 },
  ),
  command(
    "<select> the? file {file} in|for|as|from the {element}",
    "upload element file",
    'Select file "s.pdf" for the field "Statement" => upload field "Statement" ← s.pdf',
    { cost: -0.7 },
  ),
];
