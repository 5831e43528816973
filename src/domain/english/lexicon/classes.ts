/** Function words by class: `<into>` in a form stands for one entry of the line `into`. */
export const classes: Readonly<Record<string, string>> = {
  article: "the, a, an",
  into: "into, in, inside, within, inside of, onto, on",
  in: "in, within, inside, on, inside of, under, from, at, of",
  from: "from, in, on, out of, within, under, inside, of, for",
  with: "with, to, as, =, using, by, :",
  to: "to, as, =, into",
  for: "for, as",
  next_to: "next to, beside, near, alongside, adjacent to",
  until: "until, till, for, until such time as, that",
  and: "and, &, plus, as well as, +",
  please:
    "at first, initially, once the page has loaded, when the page has loaded, after the page has loaded, when the page is loaded, once the page is loaded, once the page is ready, when the page is ready, once the page loads, when the page loads, after the page loads, please, kindly, now, then, next, also, just, simply, finally, afterwards, subsequently, again, first, lastly, once more, immediately, secondly, thirdly, here, as a next step, after that, and then, go ahead and, be sure to, make sure to, try to, proceed to, carefully, once again, let us, let's, still, start by, begin by, you need to, you have to, you should, you must, remember to, at last, next up, thereafter, from there, from here, to start, to begin, continue to, at this point, quickly, manually, in the browser, in your browser, in a browser, thanks, hi, hello, could you please, could you, can you please, can you, would you please, please can you, i would like you to, i'd like you to, we would like to, i would like to, i want to, i want you to, we want to, don't forget to, do not forget to, at the end, in the end, in turn, to finish, now let us, let's now, so, well, afterwards ,, i'm going to, i am going to, going to, we're going to",
  trailing:
    "again, now, please, immediately, instead, there, too, as well, right away, also, then, once, once again, straight away, in the browser, on the page, on the screen, to the user, by default, on screen, to continue, to proceed, afterwards, in the browser window, one time, directly, at once, on the keyboard, in your browser, to me, to you, manually, in the list of results, with the mouse, using the mouse, of the page, within the page, in the page, on this page, from the page, in a browser, to them, to us, any more, anymore, any longer, anywhere, anywhere on the page, for me, too, at all, fully, completely, correctly",
  subject:
    "i, we, you, user, the user, users, a user, the users, customer, the customer, a customer, visitor, the visitor, a visitor, admin, the admin, an admin, tester, the tester, a tester, someone, they, he, she, client, the client, member, the member, guest, the guest, person, the person, that i, that we, that the user, that user, that you, it, the system, system, the app, app, the application, the website, the browser, the page, the site",
  can: "can, should, must, will, shall, may, needs to, need to, has to, have to, have, has, 've, have just, have already, had, has just, can now, should now, should then, is going to, would, wants to, want to, now, then, also, next, proceeds to, is asked to, just, try to, tries to, am going to, 'll, decides to, decide to",
  optionally: "optionally, optional, if possible, optional step, as an option",
  twice: "twice, two times, 2 times, 2x, a second time",
  thrice: "thrice, three times, 3 times, 3x",
  times: "times, x",
  that: "that, whether, if, the fact that, to see that, to see whether, to see if, for the fact that, how, to make sure that, to be sure that, to ensure that, and that, is that",
  visible:
    "visible, displayed, shown, present, there, on the page, on the screen, on screen, seen, available, in view, there on the page, in the page, found, listed, presented, rendered, in sight, visible on the page, displayed on the page, shown on the page, present on the page, displayed on the screen, visible on the screen, shown on the screen, open, opened, showing, existing, exist, visible to the user, shown to the user, displayed to the user, presented to the user, displayed correctly, on display, viewable, appearing, visible on screen, up",
  gone: "hidden, gone, invisible, absent, closed, removed, missing, not there, dismissed, not visible, away, no longer visible, hidden from view, no longer there, no longer displayed, no longer shown, no longer on the page",
  enabled:
    "enabled, clickable, editable, able to be clicked, usable, available to click, ready to be clicked",
  disabled:
    "disabled, greyed out, grayed out, inactive, not clickable, not enabled, unclickable, grey, gray",
  checked: "checked, ticked, turned on, switched on, on, toggled on, marked",
  unchecked:
    "unchecked, unticked, not checked, not ticked, turned off, switched off, off, toggled off, not selected, unmarked, clear, deselected, unselected",
  selected: "selected, chosen, picked",
  empty: "empty, blank, an empty string, left empty, left blank",
  nothing: "nothing, no text, no value",
  exactly:
    "exactly, precisely, just, equal to, the text, text, the value, value, labelled, labeled, called, titled, named",
  text: "text, the text, message, the message, the words, words, the phrase, phrase, the word, word, label, the label, the following, following text, the following text, the following message, a text, a message",
  the_value:
    "value, the value, a value, value of, the value of, a value of, as value, as its value, text, the text, its value, the entry, content, the content",
  attribute: "attribute, the attribute, an attribute, html attribute",
  url: "url, the url, page url, the page url, the page's url, address, the address, current url, the current url, url of the page, the url of the page, browser url, the browser url, the browser's url, the browser address, web address, the web address, link address, address bar, the address bar, the browser's address bar, the page address, the page's address, location, the browser's address, the address in the browser, the new url, page address, the url in the address bar, the url bar, url path, the url path, path, the path",
  title:
    "title, the title, page title, the page title, the page's title, the title of the page, browser title, the browser title, tab title, the tab title, title of the page, the browser tab title, the document title, document title, the window title, window title, the title of the browser tab, the browser tab's title, the tab's title, the title of the tab, the title of the browser, the site title, site title",
  page: "page, the page, screen, the screen, this page, the current page, site, website, the site, the website, the app, app, window, the window, the whole page, the entire page, whole page, the full page, full page, current page, the whole screen, viewport, the viewport, browser, the browser",
  home: "home page, homepage, start page, the home page, the homepage, the start page, landing page, the landing page, main page, the main page, the site's home page, root page, the root page, the application home page, the site's homepage",
  screenshot:
    "screenshot, a screenshot, the screenshot, screen shot, a screen shot, snapshot, a snapshot, screen capture, a screen capture, picture, a picture, a full-page screenshot, a full page screenshot, image, an image, a screengrab, a screen grab, one screenshot, another screenshot, a photo",
  called:
    "called, named, as, with the name, under the name, titled, and name it, and call it, and save it as, labelled, labeled, with name, , name it, , call it, and save as, and label it, for, with the title",
  baseline:
    "baseline, its baseline, the baseline, base line, the base line, the visual baseline, the baseline image, the reference, reference image, the reference image, baseline image, the baseline picture, the baseline screenshot, visual baseline",
  same: "the same, the same as before, the same as the baseline, unchanged, as before, identical, like the baseline, like before, as it did before, identical to the baseline, the same as last time, like last time, exactly the same, the way it did before",
  dialog:
    "the browser's confirm dialog, the browser's alert, the browser's confirmation, the browser's alert dialog, the confirm popup, browser's confirm dialog, the browser confirm dialog, the browser's confirm, alert, the alert, dialog, the dialog, confirmation, the confirmation, confirm dialog, the confirm dialog, alert dialog, the alert dialog, browser dialog, the browser dialog, confirmation dialog, the confirmation dialog, popup alert, the popup alert, js alert, the js alert, javascript alert, the javascript alert, the confirmation alert, the alert box, alert box, the alert popup, the browser's dialog, the browser alert, browser alert, the browser confirmation, the prompt, prompt, the confirm box, the confirmation box, the native dialog, the confirm, the confirmation popup, the confirmation message, confirmation message, the alert message, the javascript confirm, the javascript prompt, that dialog, the browser's confirmation dialog",
  native:
    "the browser's confirm dialog, the browser's alert, alert, the alert, the confirm dialog, confirm dialog, the browser dialog, browser dialog, the prompt, the browser alert, the js alert, the javascript alert, the confirm box, the alert dialog, the alert box, the native dialog, the browser confirm, the browser's dialog, the confirm, the javascript confirm, the prompt dialog",
  prompt:
    "prompt, the prompt, the dialog, the browser prompt, prompt dialog, the prompt dialog, the alert, the javascript prompt, javascript prompt, the browser's prompt, dialog, the prompt box",
  tab: "tab, browser tab, window, browser window",
  new: "new, newly opened, newest, other, second, last, latest, newly-opened",
  main: "main page, the main page, main frame, the main frame, main content, the main content, default content, the default content, page, the page, main document, the main document, parent frame, the parent frame, top frame, the top frame, main window content, outer page, the outer page, the main view, top-level page, the top-level page, the top level page, root page, the parent page, the main site, the whole page, the main body, the main html",
  mainOnly:
    "main page, the main page, main frame, the main frame, main content, the main content, default content, the default content, parent frame, the parent frame, main document, the main document",
  promptOnly:
    "prompt, the prompt, the browser prompt, prompt dialog, the prompt dialog, the alert, the javascript prompt, the browser's prompt, the prompt box",
  bottom:
    "bottom, the bottom, the very bottom, end, the end, the page bottom, the bottom end, page bottom, the very end",
  top: "top, the top, the very top, the beginning, beginning, start, the start, the page top, page top",
  down: "down, down by, downwards, downwards by, downward",
  up: "up, up by, upwards, upwards by, upward",
  pixels: "pixels, px, pixel",
  viewport:
    "viewport, the viewport, window, the window, browser, the browser, browser window, the browser window, screen, the screen, viewport size, the viewport size, window size, the window size, screen size, the screen size, browser size, the browser size, the browser window size, page, the page, the size of the window, the size of the browser window, the window's size, the browser viewport, the browser to a size of, the screen resolution, screen resolution, resolution, the resolution, the size of the browser, browser window size, the size of the viewport, the browser's size, the page size",
  back: "go back, navigate back, return, step back",
  back_page:
    "to the previous page, one page, to the last page, a page, to the page before, in the browser, in the browser history, with the browser, using the browser's back button, with the browser's back button, to the preceding page, by one page, using the back button, one step, to previous page, with the back button, using the browser back button, via the browser's back button, with the browser back button",
  forward_page:
    "one page, to the next page, in the browser, a page, by one page, in the browser history, one step",
  page_word:
    "page, the page, this page, the current page, browser, the browser, the browser page, current page, it, the screen, the site, the whole page, the tab, the browser tab, the window, the browser window",
  test: "test, the test, test case, the test case, the test called, the test named, test called, test named, the saved test, the existing test, the stored test",
  as: "as, in, into, to, under, as variable, as the variable, in the variable, in variable, into the variable, into variable, in a variable called, in a variable named, to the variable, as a variable called, as a variable named, under the name, with the name, to variable, into a variable called, in a variable, into a variable named, for later as, as the value of, in the variable called, in the variable named, and call it, and name it, and store it as, and save it as, and remember it as, for later use as",
  slowly:
    "key by key, slowly, character by character, letter by letter, one key at a time, one character at a time, one letter at a time, with individual key presses, one by one, keystroke by keystroke, key-by-key, char by char, by key, slowly key by key, slowly , key by key",
  to_appear:
    "has finished loading, have finished loading, has loaded, finishes loading, to appear, to be visible, to be displayed, to show up, to be shown, to show, to load, to become visible, to be present, to come up, to pop up, to open, to be there, to be loaded, to exist, to be available, to finish loading, appears, appearing, to display",
  to_vanish:
    "to disappear, to be hidden, to vanish, to go away, to be gone, to close, to be removed, to become hidden, to no longer be visible, to not be visible, to be invisible, disappears, to fade out, to be closed, to hide, to finish, to disappear from the page",
  to_enable:
    "to be enabled, to become enabled, to be clickable, to become clickable, to become active, to be active, to get enabled, to be ready",
  there_is:
    "there is, there are, there should be, there must be, there will be, there exists, there should exist, there's, there shall be, there be, there has to be, there needs to be, there exist, there should only be, there is exactly, there are exactly, there should be exactly, there must be exactly",
  there_not:
    "there is no, there are no, there should be no, there must be no, there should not be a, there should not be an, there should not be any, there is not a, there isn't a, there isn't any, there aren't any, there should no longer be a, there should no longer be any, there is no longer a, there must not be a, there must not be any, there are not any, there should not be, there must not be, there is not any, there shouldn't be a, there shouldn't be any, there shouldn't be, there isn't an, there should be no longer a, there should be no longer any, there will be no, there is no longer any, there should never be a",
  see_not:
    "not see, no longer see, never see, see no, don't see, do not see, doesn't see, does not see, can't see, cannot see, shouldn't see, mustn't see, not be able to see, can not see, won't see, will not see, didn't see, not find, not view, see no more, not be shown, no longer be able to see",
  any: "any, a, an, the",
  be: "",
  be_not: "",
  do: "",
  do_not: "",
  not: "not, n't",
  passive: "is, are, was, were, gets, has been, have been, is being",
  number_of:
    "number of, the number of, the count of, count of, amount of, the amount of, the total number of, the quantity of",
  count_is:
    "is, should be, equals, must be, should equal, to be, is exactly, should be exactly, is equal to, should be equal to, must equal, will be, are, shows, should show",
  has: "has, should have, must have, contains, should contain, shows, should show, lists, should list, displays, should display, have, to have, must contain, must show, consists of, should consist of, to contain, to show, holds, should hold, has exactly, should have exactly, contains exactly, should contain exactly, shows exactly, should show exactly, will have, exactly has",
  on: "on, at, in",
  redirected:
    "redirected to, taken to, sent to, brought to, navigated to, forwarded to, returned to, led to, redirected back to, taken back to, directed to, sent back to, back on, redirected on, routed to, brought back to, transferred to, moved to, returned back to",
  at: "on, at, back on, back at, now on, still on, still at",
  land: "land on, lands on, end up on, ends up on, arrive at, arrives at, be on, stay on, stays on, remain on, remains on, end up at, ends up at, get to, gets to, reach, reaches, be at, arrive on, arrives on, landed on, be back on",
  link_and:
    "and, then, and then, and also, and afterwards, and after that, and finally, after which, and next, followed by, as well as, and subsequently, and now, before you, but, but also, while, whereas, and lastly, and check, plus, and immediately, &",
  sep: ", ; -> => → > ⇒ . – — -",
  after:
    "after, upon, on, once, when, as soon as, immediately after, right after, directly after, following, just after, while, the moment, at the moment when, shortly after, only after",
  before: "before, prior to, right before, just before",
  when: "when, once, after, as soon as, immediately after, the moment",
  verify_that:
    "verify that, check that, ensure that, make sure that, confirm that, verify, confirm, ensure, make sure, assert that, test that, check whether, verify if, check if",
  message:
    "error message, the error message, message, the message, error, the error, the warning, the notification, the toast, the alert message, the success message, success message, the confirmation message, the validation message, a message, an error message, a success message, a confirmation message, a toast, a notification, an error, a warning, the text",
  purpose:
    "apply, confirm, send, save, see, continue, submit, close, open, view, finish, complete, proceed, create, start, log, sign, make, get, delete, remove, keep, show, hide, add, update, check, verify, return, cancel, exit, leave, reach, load, display, publish, download, refresh, edit, access, go, accept, choose, book, pay, find, end, change, set, filter, sort, begin, store, discard, place, register",
  to_verb: "to, in order to, so as to",
  filler:
    "the value, value, a value, the values, the number, the string, the code, the following value, the following text",
  browser_app:
    "the browser, browser, a browser, your browser, a browser window, the application, application, the app, app, the website, website, the site, site, a new browser, the web browser, web browser, the web application, the web app, the system, the shop, the store",
  assertion:
    "expect, expects, assert, verify, ensure, validate, confirm that there is, look for, make sure of, check for, check for the text, expect to see, verify that there is, expecting, should see, must see, see",
  nth: "first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth, 1st, 2nd, 3rd, 4th, 5th, 6th, 7th, 8th, 9th, 10th",
};

const SUBJUNCTS = [
  "",
  "still",
  "also",
  "now",
  "then",
  "always",
  "already",
  "immediately",
  "all",
  "both",
  "currently",
  "initially",
  "again",
];
const MODALS = [
  "should",
  "must",
  "will",
  "shall",
  "has to",
  "have to",
  "needs to",
  "need to",
  "ought to",
  "is supposed to",
  "are supposed to",
  "is expected to",
  "are expected to",
  "may",
  "can",
  "would",
  "to",
];

const product = (...parts: readonly (readonly string[])[]): string[] =>
  parts
    .reduce<string[]>((all, part) => all.flatMap((one) => part.map((two) => `${one} ${two}`)), [""])
    .map((each) => each.replace(/\s+/g, " ").trim());

const BE = [
  "be",
  "get",
  "become",
  "remain",
  "stay",
  "have been",
  "appear",
  "appear as",
  "look",
  "show as",
  "be shown as",
  "be displayed as",
  "be marked as",
  "be marked",
];
const NOTS = ["not", "no longer", "never", "not yet", "not", "not any longer"];

/** Auxiliaries with their adverbs, generated: `should still be`, `is no longer`, `won't`. */
export const auxiliaries: Readonly<Record<string, readonly string[]>> = {
  be: [
    ...product(
      [
        "is",
        "are",
        "was",
        "were",
        "gets",
        "becomes",
        "remains",
        "stays",
        "has been",
        "have been",
        "got",
        "is being",
        "appears",
        "appears as",
        "looks",
        "shows as",
        "are being",
        "shall be",
        "become",
        "remain",
        "stay",
        "became",
        "looks like",
      ],
      SUBJUNCTS,
    ),
    ...product(SUBJUNCTS.slice(1), ["is", "are"]),
    ...product(MODALS, SUBJUNCTS, BE),
    ...product(["be", "being"], [""]),
  ],
  be_not: [
    ...product(["is", "are", "was", "were"], ["", "still", "now", "currently"], NOTS, [
      "",
      "being",
    ]),
    ...product(
      ["isn't", "aren't", "wasn't", "weren't", "is no more", "no longer"],
      ["", "any more", "anymore", "yet", "currently"],
    ),
    ...product(
      ["should", "must", "will", "shall", "can", "may", "has to", "needs to"],
      ["now", "then", ""],
      NOTS,
      ["be", "get", "become", "remain", "stay"],
    ),
    ...product(
      ["shouldn't", "mustn't", "won't", "can't", "cannot"],
      ["be", "get", "become", "stay", "remain"],
    ),
    ...product(
      ["not", "no longer", "never", "to no longer", "not to", "to not", "should never"],
      ["be"],
    ),
    "has not been",
    "have not been",
    "hasn't been",
    "at no time should be",
  ],
  should_be: product(MODALS, SUBJUNCTS, ["be", "have been"]),
  slowly_comma: [
    ", slowly , key by key ,",
    ", key by key ,",
    "slowly , key by key ,",
    ", slowly ,",
    "slowly , character by character ,",
    "slowly , letter by letter ,",
    ", character by character ,",
    ", letter by letter ,",
  ],
  do: product(["", ...MODALS, "does", "do", "did"], SUBJUNCTS).filter((each) => each !== ""),
  do_not: [
    ...product(
      ["does", "do", "did", "should", "must", "will", "shall", "can", "may"],
      ["not", "no longer", "never"],
      ["", "any longer"],
    ),
    "doesn't",
    "don't",
    "didn't",
    "shouldn't",
    "mustn't",
    "won't",
    "cannot",
    "can't",
    "no longer",
    "never",
    "not",
    "to not",
    "not to",
    "to no longer",
  ],
};

/** Number words of counts, repetitions and times. */
export const numbers: ReadonlyMap<string, number> = new Map([
  ...[
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
  ].map((word, index) => [word, index] as const),
]);
