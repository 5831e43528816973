import { rowsOf } from "./table.ts";

const command = rowsOf("Command");

/** Keys and scrolling. */
export const keys = [
  command("<press> the? {key} key|keys?", "press - key", "Press Enter => press ← Enter", {
    again: ["the? {key} key?"],
    cost: -0.1,
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
    { again: ["back? up? to? <top> of_the_page? => scroll - =top"] },
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
  command("scroll {element} by {pixels:number} <pixels>?", "scroll element number"),
  command(
    "<scroll> {pixels:number} <pixels> <down>",
    "scroll - number",
    "Scroll 300 pixels down => scroll ← 300",
  ),
  command("<scroll> {pixels:number} <pixels> <up>", "scroll - minus:number"),
  command(
    "<scroll> the_page|down|the_page_down? until|till <subject>? <see>|find {element}",
    "scroll element -",
    'Scroll until you see "Reviews" => scroll Reviews',
  ),
  command(
    "<scroll> the_page|down|down_the_page|the_page_down? until|till {element} <appear>",
    "scroll element -",
    'Scroll down the page until "More" appears => scroll More',
  ),
  command(
    "<scroll> the_page|down|down_the_page? until|till {element} <be> <visible>",
    "scroll element -",
    'Scroll down until "More" is visible => scroll More',
  ),
  command(
    "<submitting> with|by_pressing|by_hitting|using|via|by_using the? {key} key?",
    "press - key",
    "Save the changes by pressing Enter => press ← Enter",
    { cost: -0.2 },
  ),
  command("use the? {namedKey:key} key", "press - key", null, { cost: -1.2 }),
  command(
    "tab out of|from {element}",
    "press element =Tab",
    'Tab out of the "Email" field => press "Email" field ← Tab',
  ),
  command(
    "leave|leaves|exit the? {strictField:element} with|by_pressing|using|via {key}",
    "press element key",
    'Leave the "Email" field by pressing Tab => press "Email" field ← Tab',
    { cost: -0.3 },
  ),
  command(
    "select|highlight|mark everything|all|all_text|all_the_text|the_whole_text in|of {element} with|using {key}",
    "press element key",
    'Select all text in the "Notes" field with Ctrl+A => press "Notes" field ← Control+A',
    { cost: -0.5 },
  ),
  command(
    "select|highlight|mark everything|all|all_text|all_the_text|the_whole_text in|of {element}",
    "press element =Control+A",
    'Select all text in the "Notes" field => press "Notes" field ← Control+A',
    { cost: -0.5 },
  ),
  command(
    "scroll|scrolls all_the_way|the_page_all_the_way down",
    "scroll - =bottom",
    "Scroll all the way down => scroll ← bottom",
  ),
  command("enter", "press - =Enter", 'Type "a" into "B", Enter => fill B ← a ; press ← Enter', {
    cost: 0.6,
  }),
  command(
    "scroll|scrolls until|till <page> contains|shows|displays {element}",
    "scroll element -",
    'Scroll until the page shows "More" => scroll More',
  ),
];
