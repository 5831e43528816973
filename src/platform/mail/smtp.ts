import { messageOf } from "./message.ts";
import { type Mailer, MailRefusedError, type PictureOf } from "./port.ts";

/** A server that says nothing for so long is taken for away, in milliseconds. */
const SILENCE_MS = 10_000;
/** However much it says meanwhile: a message that is not taken by then is tried again later. */
const WHOLE_MS = 60_000;

/**
 * Sends by SMTP. `url` is `smtp://user:password@host:587` (STARTTLS where the server has it) or
 * `smtps://…`; `from` is what stands in From, such as `Runledger <mail@example.org>`.
 */
export const smtpMailer = (options: {
  readonly url: string;
  readonly from: string;
  /** How long a silent server is waited for (10 s). */
  readonly silenceMs?: number;
  /** How long one message may take (60 s), with pictures and all. */
  readonly wholeMs?: number;
  readonly pictureOf?: PictureOf;
}): Mailer => {
  const timeout = options.silenceMs ?? SILENCE_MS;
  /** Loaded with the first mail: a service that is at rest does without. */
  const open = async () => {
    const { default: nodemailer } = await import("nodemailer");
    return nodemailer.createTransport({
      url: options.url,
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      socketTimeout: timeout,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  };
  let opened: ReturnType<typeof open> | null = null;
  return {
    keeps: false,
    send: async (mail) => {
      const message = await messageOf(mail, options.from, options.pictureOf ?? noPicture);
      try {
        opened ??= open();
        const signal = AbortSignal.timeout(options.wholeMs ?? WHOLE_MS);
        await (await opened).sendMail({ ...message, signal });
      } catch (error) {
        throw withoutAddress(error);
      }
    },
    forget: async () => undefined,
    close: async () => (await opened)?.close(),
  };
};

const noPicture: PictureOf = async () => null;

/** What is wrong with a certificate, by the code that TLS gives. */
const CERTIFICATE_FAULTS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "has signed itself",
  SELF_SIGNED_CERT_IN_CHAIN: "is signed by nobody that is known here",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "is signed by nobody that is known here",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "is signed by nobody that is known here",
  CERT_HAS_EXPIRED: "has expired",
  CERT_NOT_YET_VALID: "is not good yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "is for another name",
};

/** What the server said may quote the address: only its code and the command that it refused are passed on. */
const withoutAddress = (error: unknown): Error => {
  const { responseCode, command, code, originalCode } = error as {
    readonly [Key in "responseCode" | "command" | "code" | "originalCode"]?: unknown;
  };
  const where = typeof command === "string" ? ` to ${command.split(" ")[0]}` : "";
  if (typeof responseCode === "number") {
    const why = `The mail server answered ${responseCode}${where}`;
    // RFC 5321, 4.2.1: 5yz is for good. Of a refused sign-in or connection, the operator can mend it.
    const isForGood = responseCode >= 500 && (command === "RCPT TO" || command === "DATA");
    return isForGood ? new MailRefusedError(why) : new Error(why);
  }
  const fault = CERTIFICATE_FAULTS[String(originalCode)];
  if (fault !== undefined) return new Error(`The mail server's certificate ${fault}`);
  if (code === "EABORT") return new Error("The mail server took too long");
  return new Error(`The mail server could not be reached (${String(code ?? "unknown")})`);
};
