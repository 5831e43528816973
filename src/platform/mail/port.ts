/** A mail to one person. `id` is part of its Message-ID and does not change when the mail is sent again. */
export type Mail = {
  readonly id: string;
  readonly to: { readonly name: string; readonly address: string };
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** URL for one-click unsubscribe by POST (RFC 8058). */
  readonly unsubscribeUrl?: string;
  /** Inline pictures, shown as `cid:<cid>`, by blob store key. Deleted ones are omitted. */
  readonly pictures?: readonly { readonly cid: string; readonly key: string }[];
};

/** Reads a picture from the blob store; null if it has been deleted. */
export type PictureOf = (
  key: string,
) => Promise<{ readonly bytes: Buffer; readonly contentType: string } | null>;

/** Delivers mail. */
export type Mailer = {
  /** Whether mails are stored locally instead of being sent. */
  readonly keeps: boolean;
  /**
   * Delivers a mail at least once: a failed call may have delivered it. Rejects with MailRefusedError if the failure is
   * permanent, with another error if a retry may succeed.
   */
  send(mail: Mail): Promise<void>;
  /** Deletes locally stored mails. */
  forget(ids: readonly string[]): Promise<void>;
  close(): Promise<void>;
};

/** The mail server permanently refuses a mail. The message contains no address. */
export class MailRefusedError extends Error {
  constructor(why: string) {
    super(why);
    this.name = "MailRefusedError";
  }
}
