import type { StepInput } from "../../catalogue/step.ts";
import { quote } from "../../english/words.ts";
import { cssAttribute } from "../selectorText.ts";

/** A command of Selenium IDE with its constants replaced. */
export type SeleniumCommand = {
  readonly name: string;
  readonly target: string;
  readonly value: string;
  /** Base URL of the project, or empty. */
  readonly baseUrl: string;
  /** The current frame and its ancestors, outermost first. Commands change it. */
  readonly frames: string[];
};

export type TranslatedStep = Partial<Omit<StepInput, "action">> & { readonly action: string };

/** The steps of a command and a warning. A note without steps explains why there are none. */
export type Translation = {
  readonly steps: readonly TranslatedStep[];
  readonly note: string | null;
  /** The steps answer a dialog that the next command opens, so they follow its steps. */
  readonly isAnnouncement?: true;
};

export type Translate = (command: SeleniumCommand) => Translation;

export const unsupported = (note: string): Translation => ({ steps: [], note });
export const ignored: Translation = { steps: [], note: null };
export const translated = (...steps: readonly TranslatedStep[]): Translation => ({
  steps,
  note: null,
});

export const BAD_LOCATOR = "This locator is not supported.";

/** Converts a locator of Selenium to a target; null if it is not supported. */
export const targetOf = (locator: string): string | null => {
  const text = locator.trim();
  if (text.startsWith("//") || text.startsWith("(//")) return `xpath=${text}`;
  const at = text.indexOf("=");
  const strategy = at < 0 ? "" : text.slice(0, at).trim();
  const body = text.slice(at + 1).trim();
  if (body === "") return null;
  switch (strategy) {
    case "id":
      return /^[A-Za-z_][\w-]*$/.test(body) ? `#${body}` : `css=${cssAttribute("id", body)}`;
    case "name":
      return `css=${cssAttribute("name", body.replace(/\s+value=.*$/, ""))}`;
    case "css":
      return `css=${body}`;
    case "xpath":
      return `xpath=${body}`;
    case "link":
    case "linkText":
    case "partialLinkText":
      return `${quote(body.replace(/^(?:exact|glob):/, ""))} link`;
    case "class":
    case "className":
      return /^-?[A-Za-z_][\w-]*$/.test(body) ? `css=.${body}` : null;
    case "tagName":
      return /^[a-z][\w-]*$/i.test(body) ? `css=${body}` : null;
    default:
      return null;
  }
};

export const onElement =
  (action: string, note: string | null = null): Translate =>
  ({ target }) => {
    const element = targetOf(target);
    return element === null
      ? unsupported(BAD_LOCATOR)
      : { steps: [{ action, target: element }], note };
  };

export const withValue =
  (action: string): Translate =>
  ({ target, value }) => {
    const element = targetOf(target);
    return element === null
      ? unsupported(BAD_LOCATOR)
      : translated({ action, target: element, value });
  };
