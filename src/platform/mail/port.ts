/** A message to one person. `id` stays the same however often it is sent: it is in its Message-ID. */
export type Mail = {
  readonly id: string;
  readonly to: { readonly name: string; readonly address: string };
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Where whoever gets it says that they want no more: by POST, at once (RFC 8058). */
  readonly unsubscribeUrl?: string;
  /** Pictures that the HTML shows as `cid:<cid>`, by their keys in the blob store. One that is gone is left out. */
  readonly pictures?: readonly { readonly cid: string; readonly key: string }[];
};

/** Reads a picture from the blob store; null when it is gone. */
export type PictureOf = (
  key: string,
) => Promise<{ readonly bytes: Buffer; readonly contentType: string } | null>;

/** How messages leave the service. */
export type Mailer = {
  /** Whether messages stay here, for the operator to read: there is nobody to hand them to. */
  readonly keeps: boolean;
  /**
   * Hands a message over. Rejects with MailRefusedError when it will never be taken, with another error
   * when it may be later; it may have been taken then: at least once, never certainly once.
   */
  send(mail: Mail): Promise<void>;
  /** Removes what is kept of messages here, where anything is. */
  forget(ids: readonly string[]): Promise<void>;
  close(): Promise<void>;
};

/** The message will not be taken however often it is sent. The text names no address. */
export class MailRefusedError extends Error {
  constructor(why: string) {
    super(why);
    this.name = "MailRefusedError";
  }
}
