import type { Preferences } from "./contacts.ts";

/** The status of a run and of the previous run of the same kind; null if there was none. */
export type Ended = {
  readonly status: "passed" | "failed" | "errored" | "cancelled";
  readonly before: "passed" | "failed" | "errored" | "cancelled" | null;
  /** The origin of the run. */
  readonly source: string;
};

const isGood = (status: string | null): boolean => status === null || status === "passed";

/** Whether contacts are notified of a run. A cancelled run has no result to report. */
export const isWorthContacts = (
  { status, before, source }: Ended,
  { on, sources }: Preferences,
): boolean => {
  if (!(sources as readonly string[]).includes(source) || status === "cancelled") return false;
  switch (on) {
    case "every_run":
      return true;
    case "failures":
      return !isGood(status);
    case "changes":
      return isGood(status) !== isGood(before);
  }
};

/** Whether the recipients of a schedule are notified of its run. */
export const isWorthRecipients = (
  { status }: Pick<Ended, "status">,
  { failuresOnly }: { readonly failuresOnly: boolean },
): boolean => (failuresOnly ? !isGood(status) && status !== "cancelled" : true);
