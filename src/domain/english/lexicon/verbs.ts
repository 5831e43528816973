/**
 * Verbs by frame. An entry is a base form, with its particles behind it; other forms are derived. A verb may belong to
 * several frames. To add a synonym is to add it to one line.
 */
export const verbs: Readonly<Record<string, string>> = {
  go: "go, navigate, browse, head, head over, head on over, proceed, move, return, surf, point your browser, direct the browser, point the browser",
  open: "open, visit, load, access, launch, open up, go to, pull up, bring up",
  click:
    "click, tap, touch, press, hit, push, left-click, left click, single-click, activate, press down, hit on",
  follow: "follow",
  trigger: "trigger, expand, collapse, unfold, toggle open",
  double:
    "double-click, double click, doubleclick, double-tap, double tap, dblclick, dbl-click, dbl click",
  right: "right-click, right click, rightclick, context-click, secondary click",
  hover:
    "hover, hover over, mouse over, mouseover, hover on, hover the mouse, move the mouse, move the cursor, move the pointer, move the mouse pointer, point, point the mouse, place the cursor, hover the cursor, rest the mouse, hover your mouse, move your mouse, hover the pointer, put the mouse, position the mouse, move the mouse cursor, place the pointer, place the mouse, hold the mouse, rest the pointer, bring the mouse",
  focus:
    "focus, set focus, set the focus, put the focus, put focus, move the focus, give focus, give the focus, place the focus, move focus",
  fill: "fill, fill in, fill out, type, type in, enter, input, put, write, key in, insert, provide, populate, paste, key, pop, complete, supply, specify",
  fillout: "fill, fill in, fill out, populate, complete, update",
  change: "change, set, update, edit, adjust, modify, replace, alter",
  clear:
    "clear, clear out, empty, blank out, erase, wipe, delete the text in, delete the text from, delete the content of, delete the contents of, clear the text in, clear the text from, clear the value of, clear the contents of, clear the content of, remove the text from, remove the value from, remove all text from, delete all text from, delete the value in, delete the value of, clear the value in, remove the content of, remove the contents of, delete everything in, empty out",
  leave: "leave, keep",
  select: "select, choose, pick, opt for, set, go for, pick out",
  choose: "select, choose, pick, opt for, go for, pick out",
  tick: "check, tick, mark, check off, tick off, put a check mark in, put a tick in, place a check in",
  enable: "enable, turn on, switch on, activate, toggle on, flip on",
  untick: "uncheck, untick, unmark, deselect, unselect, de-select",
  disable: "disable, turn off, switch off, deactivate, toggle off, flip off",
  upload:
    "upload, attach, add the file, choose the file, select the file, add the image, pick the file",
  drag: "drag, drag and drop, drag-and-drop, pull",
  press: "press, hit, strike, push, tap, use, type, enter, send, press on, press and release",
  strike: "press, hit, strike, push, tap, press and release",
  scroll:
    "scroll, scroll down, scroll up, scroll all the way, scroll all the way down, scroll back up, scroll the page, scroll the page down, scroll back",
  set: "set, resize, change, switch",
  take: "take, capture, make, grab, save, create, snap",
  compare: "compare, visually compare, match, check",
  accept: "accept, confirm, ok, approve, agree to, acknowledge",
  dismiss: "dismiss, cancel, decline, reject, refuse",
  answer: "answer, respond to, reply to, fill in, fill",
  change_to: "switch, change, go, move, jump, switch over, enter, step",
  store: "store, save, remember, keep, capture, record, note, copy, read, memorize, memorise, grab",
  retain: "store, remember, note, capture, memorize, record, copy",
  run: "run, execute, call, perform, use, do, play, include, invoke, start",
  wait: "wait, pause, sleep, hold on, hold",
  see: "see, find, view, notice, observe, be shown, be presented with, be able to see, be greeted with, be greeted by",
  verify:
    "verify, check, ensure, make sure, assert, confirm, expect, validate, see to it, be sure, test, double-check, observe, note, look, see, double check, prove",
  reload: "reload, refresh",
  show: "show, display, reveal, bring up, open, present, produce, trigger, pop up, give",
  hide: "hide, close, remove, dismiss, delete, clear away",
  lead: "take, bring, lead, redirect, send, navigate, forward, direct",
  become: "become, get, turn, go",
  appear:
    "appear, show up, pop up, be displayed, come up, show, display, open, be shown, be there, exist, become visible, turn up, be present, be visible, load, come into view, come, come back, come up on the screen, be on screen",
  vanish:
    "disappear, vanish, go away, close, be hidden, hide, be gone, become hidden, be removed, fade out, fade away, fade, be closed, no longer exist, clear, be dismissed, have disappeared, have vanished, have gone, go, have closed, be collapsed",
  contain: "contain, include, have, mention, feature",
  hold: "contain, have, hold, show, display",
  read: "read, say, state, have the text, have text, show the text, display the text, match, have the label, have the title, be labelled, be labeled, be called, be titled, carry the text, bear the text, be set to, be exactly",
  exhibit: "show, display",
  end: "end, finish",
  begin: "start, begin",
  close: "close",
  closing:
    "close, dismiss, submit, save, confirm, cancel, exit, leave, finish, collapse, hide, remove, log out, sign out, log in, sign in",
  equal: "equal, read, say, be equal to, match exactly",
  launch: "launch, open, start, open up, fire up, run",
  perform: "perform, do, make, execute, carry out",
  submitting:
    "submit, confirm, save, send, submit it, confirm it, send it, close, close it, finish, search, submit the form, save the changes, submit the search, confirm the entry, send the form, confirm the search, send the message, close the dialog, close the modal, close the menu, close the popup, close the panel, save the form, save the changes",
  change_value: "switch, change, set, update, turn, adjust",
  changes: "change, switch, turn, update",
  point: "point, link, lead",
};

/** Forms that are not regular: base, third person, past, participle, gerund. */
export const irregular: readonly string[] = [
  "go goes went gone going",
  "be is was been being",
  "have has had had having",
  "do does did done doing",
  "hit hits hit hit hitting",
  "put puts put put putting",
  "set sets set set setting",
  "write writes wrote written writing",
  "choose chooses chose chosen choosing",
  "leave leaves left left leaving",
  "keep keeps kept kept keeping",
  "take takes took taken taking",
  "make makes made made making",
  "give gives gave given giving",
  "get gets got got getting",
  "see sees saw seen seeing",
  "find finds found found finding",
  "run runs ran run running",
  "read reads read read reading",
  "say says said said saying",
  "send sends sent sent sending",
  "strike strikes struck struck striking",
  "drag drags dragged dragged dragging",
  "drop drops dropped dropped dropping",
  "tap taps tapped tapped tapping",
  "pop pops popped popped popping",
  "flip flips flipped flipped flipping",
  "grab grabs grabbed grabbed grabbing",
  "snap snaps snapped snapped snapping",
  "step steps stepped stepped stepping",
  "scroll scrolls scrolled scrolled scrolling",
  "untick unticks unticked unticked unticking",
  "become becomes became become becoming",
  "bring brings brought brought bringing",
  "show shows showed shown showing",
  "begin begins began begun beginning",
  "hide hides hid hidden hiding",
  "vanish vanishes vanished vanished vanishing",
  "hold holds held held holding",
  "lead leads led led leading",
  "sleep sleeps slept slept sleeping",
  "mouse mouses moused moused mousing",
  "prove proves proved proven proving",
  "come comes came come coming",
  "wipe wipes wiped wiped wiping",
  "submit submits submitted submitted submitting",
  "plug plugs plugged plugged plugging",
  "blank blanks blanked blanked blanking",
  "type types typed typed typing",
  "key keys keyed keyed keying",
];

export type VerbForm = "base" | "third" | "past" | "participle" | "gerund";

const table = new Map(irregular.map((line) => [line.split(" ")[0] ?? "", line.split(" ")]));

const regular = (base: string): readonly string[] => {
  const third = /(?:s|x|z|ch|sh|o)$/.test(base)
    ? `${base}es`
    : /[^aeiou]y$/.test(base)
      ? `${base.slice(0, -1)}ies`
      : `${base}s`;
  const stem = base.endsWith("e") ? base.slice(0, -1) : base;
  const past = /[^aeiou]y$/.test(base) ? `${base.slice(0, -1)}ied` : `${stem}ed`;
  return [base, third, past, past, `${stem}ing`];
};

const FORMS: readonly VerbForm[] = ["base", "third", "past", "participle", "gerund"];

/** A verb with its particles in one form: `fill in`, gerund → `filling in`. */
export const inflect = (entry: string, form: VerbForm): string => {
  const [first = "", ...particles] = entry.split(" ");
  const forms = table.get(first) ?? hyphened(first) ?? regular(first);
  // `double click`: the verb is the second word.
  if (/^(?:double|right|left|single)$/.test(first) && particles.length > 0) {
    return [first, inflect(particles.join(" "), form)].join(" ");
  }
  return [forms[FORMS.indexOf(form)] ?? first, ...particles].join(" ");
};

const hyphened = (word: string): readonly string[] | null => {
  const at = word.lastIndexOf("-");
  const forms = at > 0 ? table.get(word.slice(at + 1)) : undefined;
  return forms ? forms.map((each) => word.slice(0, at + 1) + each) : null;
};
