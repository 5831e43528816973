import { rowsOf } from "./table.ts";

const command = rowsOf("Command");

const pages = [
  command(
    "<go> to|onto|at|into|on? the? page|url|address|site|website? {url} page|url|site?",
    "navigate - url",
    "Go to /login => navigate ← /login",
  ),
  command(
    "<open> the? page|url|address|site|website|link? {url} page|url|site?",
    "navigate - url",
    "Visit shop.example.com => navigate ← https://shop.example.com",
  ),
  command("<go> to|onto? <home>", "navigate - =/", "Go to the home page => navigate ← /"),
  command("<open> <home> {url}", "navigate - url"),
  command("{webUrl:url}", "navigate - url", "/login => navigate ← /login", { cost: 0.5 }),
  command("<go> one page forward|forwards <forward_page>?", "go_forward"),
  command("<open> <home>", "navigate - =/", "Open the homepage => navigate ← /"),
  command(
    "am|are|is|am_now|is_now <at> the? page|url? {url} page|url?",
    "navigate - url",
    'Given I am on "/login" => navigate ← /login',
    { moods: ["given", "none"] },
  ),
  command(
    "the? page|url|address? {url} page? is|are open|opened|loaded|displayed|shown",
    "navigate - url",
    'Given the page "/login" is open => navigate ← /login',
    { moods: ["given", "none", "when"], cost: -0.6 },
  ),
  command(
    "<viewport> is|has|has_a_size_of {size}",
    "set_viewport - size",
    "Given the browser window is 375x812 => set_viewport ← 375x812",
    { cost: -0.3 },
  ),
  command(
    "am|are|is on|at <home>",
    "navigate - =/",
    "Given I am on the home page => navigate ← /",
    { moods: ["given"] },
  ),
  command("back <back_page>", "go_back"),
  command("<go> one page back", "go_back", "Go one page back => go_back"),
  command("<back> <back_page>?", "go_back", "Go back => go_back"),
  command("<go> back <back_page>?", "go_back"),
  command("<go> backward|backwards <back_page>?", "go_back"),
  command("<go> to the? previous page", "go_back"),
  command(
    "press|click|use|hit the? browser's|browser back button",
    "go_back",
    "Press the browser's back button => go_back",
    { cost: -0.5, again: ["the? forward button => go_forward"] },
  ),
  command("<go> forward|forwards <forward_page>?", "go_forward", "Go forward => go_forward"),
  command("press|click|use|hit the? browser's|browser forward button", "go_forward"),
  command("view|views {url}", "navigate - url", "View /orders => navigate ← /orders", {
    cost: -0.3,
  }),
  command(
    "<change> <url> to {url}",
    "navigate - url",
    "Change the URL to /orders => navigate ← /orders",
    { cost: -0.9 },
  ),
  command(
    "<fill> the? url|address? {url} in|into|to the? address_bar|url_bar|browser's_address_bar|browser_address_bar|location_bar|address_field|browser",
    "navigate - url",
    'Enter "/admin" in the URL bar => navigate ← /admin',
    { cost: -0.9 },
  ),
  command(
    "<fill> the? url|address? {url} in|into|to the? address_bar|url_bar|browser's_address_bar|browser_address_bar|location_bar|address_field|browser and press|hit|hits|presses enter|return|go",
    "navigate - url",
    'Type "/sale" into the address bar and hit Enter => navigate ← /sale',
    { cost: -1.5 },
  ),
  command(
    "click|press|hit back in|on the? browser",
    "go_back",
    "Click back in the browser => go_back",
    { cost: -0.5 },
  ),
  command("press|click|hit|use the? browser's|browser refresh|reload button", "reload", null, {
    cost: -0.5,
  }),
  command("<reload> <page_word>?", "reload", "Reload the page => reload"),
];

const clicks = [
  command(
    "<click> on|at|onto|upon|in? {elements}",
    "click elements -",
    'Click the "Sign in" button => click "Sign in" button',
    {
      again: [
        "{listed:elements} => click elements -",
        "on {elements} => click elements -",
        "select|choose|pick|selects|chooses|picks the? option? {option} option? => select $ option",
        "enter|type|input|write|enters|types <text>? {quoted:text} => fill $ text",
      ],
    },
  ),
  command(
    "<closing> {place} by|via|through (Command:gerund)",
    "within@Command",
    'Close the "Hello" dialog by clicking "X" => click "X" in the "Hello" dialog',
    { cost: -0.3 },
  ),
  command(
    "<closing> {element:closed} with|using|via|through|by_means_of the|its? {control}",
    "click control -",
    'Close the "Hello" dialog with the "X" button => click "X" button',
    { cost: -0.2 },
  ),
  command(
    "<accept> <dialog> by clicking|pressing|tapping on? ok|yes|accept",
    "accept_dialog",
    null,
    { cost: -1 },
  ),
  command("<follow> {element}", "click element -", 'Follow the "Home" link => click "Home" link'),
  command(
    "<trigger> {element}",
    "click element -",
    'Expand the "Details" section => click "Details" section',
    { again: ["select|choose|pick the? option? {option} option? => select $ option"] },
  ),
  command(
    "<choose> {choosable}",
    "click choosable -",
    'Choose "Express delivery" => click Express delivery',
    { again: ["{listed:choosable} => click choosable -"] },
  ),
  command(
    "<go> to|into|onto|over_to {part}",
    "click part -",
    "Go to the Billing tab => click Billing tab",
  ),
  command("<open> {part}", "click part -", 'Open the "File" menu => click "File" menu', {
    again: [
      "select|choose|pick|selects|chooses|picks the? option? {option} option? => select $ option",
    ],
  }),
  command("<open> {quoted}", "click quoted -", 'Open "Invoice 7" => click Invoice 7', {
    cost: 0.4,
  }),
  command(
    "switch|change|go|move|jump to {tabpart:part}",
    "click part -",
    'Switch to the "Reviews" tab => click "Reviews" tab',
  ),
  command(
    "<go> to|into? {path}",
    "click path -",
    "Go to Settings > Users => click Settings ; click Users",
  ),
  command(
    "<open> {path}",
    "click path -",
    "Open Settings > Users > Roles => click Settings ; click Users ; click Roles",
  ),
  command("<choose> {path}", "click path -", "Choose Tools > Import => click Tools ; click Import"),
  command("<click> on? {path}", "click path -", "Click File > New => click File ; click New"),
  command(
    "<double> on|at? {elements}",
    "double_click elements -",
    'Double-click "report.xlsx" => double_click report.xlsx',
  ),
  command(
    "<right> on|at? {elements}",
    "right_click elements -",
    'Right-click the "Invoices" folder => right_click "Invoices" folder',
  ),
  command(
    "<hover> over|on|onto|to|above|at? {elements}",
    "hover elements -",
    'Hover over "My account" => hover My account',
    { again: ["{listed:elements} => hover elements -", "over {elements} => hover elements -"] },
  ),
  command(
    "<focus> on|to|in|into|onto? {element}",
    "focus element -",
    "Focus the Email field => focus Email field",
  ),
  command(
    "<drag> {element} to|onto|into|on|over|over_to|on_to|on_top_of|and_drop_it_on|and_drop_it_onto|and_drop_it_into|and_drop_it_in|and_drop_on {dropPlace:place}",
    "drag element place",
    'Drag "Card A" to "Done" => drag Card A ← Done',
  ),
];

const fields = [
  command(
    "<fill> <text>|in? {text} <into> {field}",
    "fill field text",
    'Type "ann@example.com" into Email => fill Email ← ann@example.com',
    { again: ["{text} <into> {field}"] },
  ),
  command(
    "<fill> <text>|in? {text} as|for|as_the|as_your|in_as {field}",
    "fill field text",
    'Enter "x" as Email => fill Email ← x',
    { again: ["{text} as|for|as_the {field}"] },
  ),
  command(
    "<fill> {field} in|out with <text>? {text}",
    "fill field text",
    "Fill Cardholder in with MR DOE => fill Cardholder ← MR DOE",
    { cost: -0.3 },
  ),
  command(
    "<fillout> in|out? your? {field} with|: <text>? {text}",
    "fill field text",
    'Fill in Password with "secret" => fill Password ← secret',
    { again: ["{field} with <text>? {text}"] },
  ),
  command(
    "<fill> your? {field} with|as|: <text>? {text}",
    "fill field text",
    'Enter Email as "a@b.c" => fill Email ← a@b.c',
    { again: ["{field} with|as|: {text}"] },
  ),
  command("<fill> {field:field} = {text}", "fill field text", null, {
    again: ["{field} = {text}"],
  }),
  command(
    "<change> the? value_of? {field} to|as|: <text>? {text}",
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
    "<clear> out? {elements:field}",
    "clear field -",
    'Clear the "Coupon" field => clear "Coupon" field',
    {
      again: [
        "enter|type|input|write|put|enters|types {quoted:text} in|into|there? it? => fill $ text",
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
];

const choices = [
  command(
    "<select> the? option|value? {option} option|value? <from> {chooser}",
    "select chooser option",
    'Select "Norway" from the "Country" dropdown => select "Country" dropdown ← Norway',
    { again: ["{option} <from> {chooser}"] },
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
    { cost: -0.6 },
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
    "<upload> the? file|files|document|image|picture|photo? {file} file? to|into|in|for|as|on|onto|using|via|through|with|at {element}",
    "upload element file",
    'Upload "photo.png" to the "Avatar" field => upload "Avatar" field ← photo.png',
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
];

const keys = [
  command("<press> the? {key} key|keys?", "press - key", "Press Enter => press ← Enter", {
    again: ["the? {key} key?"],
  }),
  command(
    "<press> the? {namedKey:key} key|keys",
    "press - key",
    "Press the Delete key => press ← Delete",
    { cost: -1.2, again: ["the? {namedKey:key} key|keys?"] },
  ),
  command(
    "<press> the? key|key_combination|keys|combination|keyboard_shortcut|shortcut|keyboard_combination {namedKey:key}",
    "press - key",
    "Press the key combination Ctrl+P => press ← Control+P",
    { cost: -0.2 },
  ),
  command(
    "<press> the? {namedKey:key} key|keys? on the? keyboard",
    "press - key",
    "Press Delete on the keyboard => press ← Delete",
    { cost: -1.5 },
  ),
  command(
    "<strike> the? {key} key|keys? in|inside|on|into|within|while_in|with_focus_on {element}",
    "press element key",
    'Press Control+A in the "Notes" field => press "Notes" field ← Control+A',
    { cost: -0.1 },
  ),
  command(
    "<strike> the? {namedKey:key} key|keys in|inside|on|into|within {element}",
    "press element key",
    null,
    { cost: -1.3 },
  ),
  command("<strike> {character:key}", "press - key", null),
  command(
    "in {element} , press|hit the? {key} key?",
    "press element key",
    'In the "Notes" field, press Enter => press "Notes" field ← Enter',
  ),
  command("in {element} press|hit the? {key} key?", "press element key"),
  command(
    "<scroll> to|towards|until? <bottom> of_the_page|of_page|of_the_screen|of_the_list?",
    "scroll - =bottom",
    "Scroll to the bottom => scroll ← bottom",
  ),
  command(
    "<scroll> to|back_to? <top> of_the_page|of_page|of_the_screen?",
    "scroll - =top",
    "Scroll to the top of the page => scroll ← top",
  ),
  command(
    "<scroll> to|until|till|towards|into_view_of {element}",
    "scroll element -",
    'Scroll to the "Reviews" section => scroll "Reviews" section',
  ),
  command(
    "<scroll> {element} into_view|into_the_view",
    "scroll element -",
    'Scroll the "Save" button into view => scroll "Save" button',
  ),
  command(
    "scroll|scrolls|scroll_down|scroll_up until|till {element} is|becomes visible|displayed|in_view|shown",
    "scroll element -",
  ),
  command(
    "<scroll> by {pixels:number} <pixels>?",
    "scroll - number",
    "Scroll by 300 pixels => scroll ← 300",
  ),
  command("scroll|scrolls <down> {pixels:number} <pixels>?", "scroll - number"),
  command(
    "scroll|scrolls the_page? <up> {pixels:number} <pixels>?",
    "scroll - minus:number",
    "Scroll up 200 pixels => scroll ← -200",
  ),
  command(
    "scroll {element} to its? <bottom>",
    "scroll element =bottom",
    "Scroll the list to its bottom => scroll list ← bottom",
  ),
  command("scroll {element} to its? <top>", "scroll element =top"),
  command("scroll {element} by {number} <pixels>?", "scroll element number"),
];

const windows = [
  command(
    "emulate|set|use the|a|an? device? to|as? {device:size}",
    "set_viewport - size",
    "Emulate an iPhone 13 => set_viewport ← iPhone 13",
    { cost: -0.5 },
  ),
  command(
    "<set> <viewport> size? to|as|at|=? a|the? size? of? {size}",
    "set_viewport - size",
    "Set the viewport to 390x844 => set_viewport ← 390x844",
  ),
  command("use a? <viewport> size? of {size}", "set_viewport - size"),
  command(
    "<change_to> to|into|over_to|back_to the? {nth:tab} <tab> of_the_browser|in_the_browser?",
    "switch_tab tab -",
    "Switch to the second browser tab => switch_tab 2",
  ),
  command(
    "<change_to> to|into the? new|newly_opened|newest|new_browser|newly-opened|last|other|latest|just_opened <tab>",
    "switch_tab =last -",
    "Switch to the new tab => switch_tab last",
  ),
  command("<change_to> back_to|back to? the? <tab> number? {number:tab}", "switch_tab tab -"),
  command(
    "<change_to> to|into|over_to the? tab {quoted:tab}",
    "switch_tab tab -",
    'Switch to the tab "Invoice 88" => switch_tab Invoice 88',
  ),
  command(
    "<change_to> to|into the? <tab> number? {number:tab}",
    "switch_tab tab -",
    "Switch to tab 2 => switch_tab 2",
  ),
  command(
    "<change_to> to|into the? <tab> titled|called|named|with_title|with_the_title|that_is_titled {quoted:tab}",
    "switch_tab tab -",
    'Switch to the tab titled "Help" => switch_tab Help',
  ),
  command(
    "<change_to> to|into the? browser_tab|browser_window|window {quoted:tab}",
    "switch_tab tab -",
  ),
  command(
    "<change_to> to|into the? {quoted:tab} browser_tab|browser_window|window",
    "switch_tab tab -",
    'Switch to the "Help" browser tab => switch_tab Help',
  ),
  command(
    "<change_to> back|back_over to the? previous|original|main|old|earlier|initial|other|first_browser|original_browser <tab>",
    "switch_tab - -",
    "Switch back to the previous tab => switch_tab",
  ),
  command(
    "<change_to> to|into|inside|within|in? {frame}",
    "switch_frame frame -",
    'Switch to the "Payment" frame => switch_frame "Payment" frame',
  ),
  command("<change_to> back|out from|of the? iframe|frame", "switch_frame - -"),
  command(
    "in|inside|within {frame} , (Command)",
    "switch_frame frame - ; @Command",
    'Within the iframe "editor", type "Hi" into "Body" => switch_frame iframe "editor" ; fill Body ← Hi',
    { cost: -0.2 },
  ),
  command(
    "<change_to> back|out to|of|into <main>",
    "switch_frame - -",
    "Switch back to the main page => switch_frame",
  ),
  command("<change_to> to <mainOnly>", "switch_frame - -"),
  command(
    "leave|exit|exits|leaves the? frame|iframe",
    "switch_frame - -",
    "Leave the iframe => switch_frame",
  ),
  command("<accept> <dialog>", "accept_dialog", "Accept the alert => accept_dialog"),
  command("click|press|tap|hit ok|yes in|on <dialog>", "accept_dialog", null),
  command(
    "click|press|tap|hit|choose|select cancel|no|dismiss in|on <native>",
    "dismiss_dialog",
    "Click Cancel in the confirm dialog => dismiss_dialog",
    { cost: -0.6 },
  ),
  command("click|press|tap|hit|choose|select {cancel} in|on <native>", "dismiss_dialog", null, {
    cost: -0.6,
  }),
  command(
    "click|press|tap|hit|choose|select ok|yes|accept in|on <native>",
    "accept_dialog",
    "Click OK in the alert => accept_dialog",
    { cost: -0.6 },
  ),
  command(
    "<accept> <dialog> with|by ok|accept|yes|the_ok_button",
    "accept_dialog",
    "Confirm the browser alert with OK => accept_dialog",
    { cost: -1.2 },
  ),
  command("<dismiss> <dialog>", "dismiss_dialog", "Dismiss the dialog => dismiss_dialog"),
  command(
    "<answer> <prompt> with|: {text}",
    "accept_dialog - text",
    'Answer the prompt with "Ann" => accept_dialog ← Ann',
  ),
  command(
    "<fill> {quoted:text} into|in|to <promptOnly> and click|press|hit|clicks|tap|select|choose on? ok|accept|submit",
    "accept_dialog - text",
    'Enter "Ann" in the prompt and click OK => accept_dialog ← Ann',
    { cost: -1.5 },
  ),
  command(
    "<fill> {quoted:text} into|in|to <promptOnly> and click|press|hit|clicks|tap {confirm}",
    "accept_dialog - text",
    null,
    { cost: -1.5 },
  ),
  command(
    "in <promptOnly> type|enter|write {quoted:text} and click|press|hit ok|accept",
    "accept_dialog - text",
    null,
    { cost: -1.5 },
  ),
  command(
    "<fill> {quoted:text} into|in|to <promptOnly> and <accept> it?",
    "accept_dialog - text",
    'Enter "Draft" into the prompt and accept it => accept_dialog ← Draft',
    { cost: -0.5 },
  ),
];

const pictures = [
  command("<take> <screenshot>", "screenshot", "Take a screenshot => screenshot"),
  command(
    "<take> <screenshot> <called> {name}",
    "screenshot - name",
    'Take a screenshot named "after login" => screenshot ← after login',
  ),
  command(
    "<take> <screenshot> of <page>",
    "screenshot - -",
    "Take a screenshot of the page => screenshot",
  ),
  command("<take> <screenshot> of <page> <called> {name}", "screenshot - name"),
  command(
    "<take> <screenshot> of {element}",
    "screenshot element -",
    'Take a screenshot of the "Total" row => screenshot "Total" row',
    { cost: 0.1 },
  ),
  command("<take> <screenshot> of {element} <called> {name}", "screenshot element name", null, {
    cost: 0.1,
  }),
  command(
    "<compare> <page> with|to|against <baseline> <called>? {name}",
    "visual_check - name",
    'Compare the page with the baseline "home" => visual_check ← home',
  ),
  command("<compare> <page> with|to|against <baseline>", "visual_check - -"),
  command(
    "<compare> {element} with|to|against <baseline> <called>? {name}",
    "visual_check element name",
    null,
    { cost: 0.1 },
  ),
  command(
    "<verify> <that>? <page> looks|look like <baseline> <called>? {name}",
    "visual_check - name",
  ),
  command(
    "<verify> <that>? {element} looks|look like <baseline> <called>? {name}",
    "visual_check element name",
    null,
    { cost: 0.1 },
  ),
  command("<compare> {element} with|to|against <baseline>", "visual_check element -", null, {
    cost: 0.1,
  }),
  command(
    "<verify> <that>? <page> looks|look|appears|appear|is <same>",
    "visual_check - -",
    "Check that the page looks the same => visual_check",
  ),
  command(
    "<verify> <that>? {element} looks|look|appears|appear|is <same>",
    "visual_check element -",
    'Check that the "Header" section looks the same => visual_check "Header" section',
    { cost: 0.1 },
  ),
  command("{element} <do>? looks|look <same>", "visual_check element -", null, { cost: 0.1 }),
  command("<page> <do>? looks|look <same>", "visual_check - -"),
  command(
    "visual_check|visual_comparison {quoted:name}",
    "visual_check - name",
    'Visual check "home" => visual_check ← home',
    { cost: -0.2 },
  ),
  command(
    "<compare> <page> visually with|to|against <baseline> <called>? {name}",
    "visual_check - name",
    null,
    { cost: -0.3 },
  ),
  command(
    "check|verify|inspect <page> visually",
    "visual_check - -",
    "Check the page visually => visual_check",
    { cost: -0.5 },
  ),
  command(
    "visual_check|visually_check|visual_comparison of? <page>",
    "visual_check - -",
    "Visual check of the page => visual_check",
  ),
  command(
    "visual_check|visually_check|visual_comparison of? <page> <called> {name}",
    "visual_check - name",
  ),
  command(
    "visual_check|visually_check|visual_comparison of? {element}",
    "visual_check element -",
    null,
    { cost: 0.1 },
  ),
  command(
    "visual_check|visually_check|visual_comparison of? {element} <called> {name}",
    "visual_check element name",
    null,
    { cost: 0.1 },
  ),
];

const variables = [
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
];

const waits = [
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
];

/** What a test does. */
export const commands = [
  ...pages,
  ...clicks,
  ...fields,
  ...choices,
  ...keys,
  ...windows,
  ...pictures,
  ...variables,
  ...waits,
];
