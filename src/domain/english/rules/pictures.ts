import { rowsOf } from "./table.ts";

const command = rowsOf("Command");

/** Screenshots and visual checks. */
export const pictures = [
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
  command("screenshot|take_screenshot|screen_shot", "screenshot", "Screenshot => screenshot"),
  command(
    "take_screenshot|screenshot {quoted:name}",
    "screenshot - name",
    'Take screenshot "cart" => screenshot ← cart',
  ),
  command(
    "screenshot|capture of? <page>|the_screen|screen",
    "screenshot - -",
    "Screenshot the page => screenshot",
    { cost: -0.3 },
  ),
  command(
    "capture <page> <called> {name}",
    "screenshot - name",
    'Capture the page as "home" => screenshot ← home',
    { cost: -0.3 },
  ),
  command(
    "<take> <screenshot> <called> {quoted:name} of {element}",
    "screenshot element name",
    'Capture a screenshot named "a" of the "Pay" section => screenshot "Pay" section ← a',
    { cost: 0.1 },
  ),
  command(
    "<compare> the? screenshot|picture|image {quoted:name} with|to|against <baseline>",
    "visual_check - name",
    'Compare the screenshot "home" with the baseline => visual_check ← home',
    { cost: -0.3 },
  ),
  command(
    "visually compare|check|verify {element}",
    "visual_check element -",
    'Visually compare the "Header" section => visual_check "Header" section',
    { cost: -0.1 },
  ),
  command(
    "<page> <do>? match|matches|look_like|looks_like <baseline> <called>?",
    "visual_check - -",
    "The page should match the baseline => visual_check",
    { cost: -1 },
  ),
  command(
    "<page> <do>? match|matches|look_like|looks_like <baseline> <called>? {quoted:name}",
    "visual_check - name",
    'The page should look like the baseline "home" => visual_check ← home',
    { cost: -1 },
  ),
  command(
    "{element} <do>? match|matches|look_like|looks_like <baseline> <called>? {quoted:name}",
    "visual_check element name",
    'The "Header" section should look like the baseline "h" => visual_check "Header" section ← h',
    { cost: -0.7 },
  ),
  command(
    "<perform> a? visual_check|visual_comparison of? <page>",
    "visual_check - -",
    "Do a visual check of the page => visual_check",
  ),
];
