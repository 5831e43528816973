import { newId } from "../../platform/ids.ts";
import type { Mail } from "../../platform/mail/port.ts";
import type { PublishedText } from "../../platform/publishing/publish.ts";

/** A mail to an auditor with a checkpoint of the log. */
export const checkpointMail = (address: string, { name, text }: PublishedText): Mail => {
  const intro =
    "This is a signed checkpoint of the event log. Keep it: with it, you can prove later whether an event was changed or removed. `runledger audit consistency` compares it with a newer one.";
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return {
    id: newId(),
    to: { name: address, address },
    subject: `Checkpoint of the event log: ${name}`,
    text: `${intro}\n\n${text}`,
    html: `<p>${intro.replaceAll("`", "")}</p><pre>${escaped}</pre>`,
  };
};
