import { alone, USE } from "./actVerbs.ts";
import type { Form } from "./formTables.ts";

/** Back, forward and again: what a person does with the browser itself. */
export const historyForms: readonly Form[] = [
  {
    pattern: "go|goes|navigate|navigates|move|step one|1|a page|step back",
    example: "Go back",
    build: alone("go_back"),
  },
  {
    pattern:
      "go|goes|navigate|navigates|move|step|head back|backwards|backward a|one|1? page|step? in_the_browser|in_browser|in_the_browser_history|in_history?",
    example: "Go back",
    build: alone("go_back"),
  },
  {
    pattern:
      "go|goes|navigate|navigates|return|returns|move|head|step back? to the|a|my? previous|last|prior page|screen|site",
    example: "Go back",
    build: alone("go_back"),
  },
  {
    pattern: `${USE} the|on_the|on? browser|browser's|browser\u2019s back button|arrow|icon?`,
    example: "Go back",
    build: alone("go_back"),
  },
  {
    pattern: `${USE} the|on_the|on? back button|arrow? of_the_browser|in_the_browser|of_your_browser|in_your_browser`,
    example: "Go back",
    build: alone("go_back"),
  },
  {
    pattern:
      "go|goes|navigate|navigates|move|step forward|forwards a|one|1? page|step? in_the_browser|in_browser|in_history?",
    example: "Go forward",
    build: alone("go_forward"),
  },
  {
    pattern:
      "go|goes|navigate|navigates|move|step one|1|a page|step forward|forwards in_the_browser|in_browser|in_history?",
    example: "Go forward",
    build: alone("go_forward"),
  },
  {
    pattern: "go|goes|navigate|navigates forward? to the next page",
    example: "Go forward",
    build: alone("go_forward"),
  },
  {
    pattern: `${USE} the|on_the|on? browser|browser's forward button|arrow|icon?`,
    example: "Go forward",
    build: alone("go_forward"),
  },
  {
    pattern: `${USE} the|on_the|on? forward button|arrow? of_the_browser|in_the_browser|of_your_browser|in_your_browser`,
    example: "Go forward",
    build: alone("go_forward"),
  },
  {
    pattern:
      "reload|reloads|refresh|refreshes the|this|current|the_current? page|browser|window|tab|site|website|screen|browser_window|browser_tab|web_page|webpage|app|application",
    example: "Reload the page",
    build: alone("reload"),
  },
  {
    pattern: "reload|reloads|refresh|refreshes",
    example: "Reload the page",
    build: alone("reload"),
  },
  {
    pattern: `${USE} the|on_the|on? browser|browser's refresh|reload button|icon?`,
    example: "Reload the page",
    build: alone("reload"),
  },
  {
    pattern: `${USE} on? the? back|forward|refresh|reload button|arrow?`,
    example: 'Click the "Back" button',
    build: () => ({
      doubt: "Say the browser's button, or put the name of the page's own in quotes.",
    }),
  },
];
