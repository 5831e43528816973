import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Logger } from "../logger.ts";
import { messageOf } from "./message.ts";
import type { Mailer, PictureOf } from "./port.ts";

/** Where a message is kept in a folder. */
const fileOf = (folder: string, id: string): string => path.join(folder, `${id}.eml`);

/**
 * Where no mail server is named: keeps each message as a file that a mail program opens, for the
 * operator alone (mode 0600), and says in the log where. What is in it is never in the log.
 */
export const folderMailer = (options: {
  readonly folder: string;
  readonly from: string;
  readonly pictureOf?: PictureOf;
  readonly logger: Pick<Logger, "info">;
}): Mailer => {
  /** Loaded with the first mail: a service that is at rest does without. */
  const open = async () => {
    const { default: nodemailer } = await import("nodemailer");
    return nodemailer.createTransport({
      streamTransport: true,
      buffer: true,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  };
  let opened: ReturnType<typeof open> | null = null;
  return {
    keeps: true,
    send: async (mail) => {
      const { id } = mail;
      opened ??= open();
      const transport = await opened;
      const { message } = await transport.sendMail(
        await messageOf(mail, options.from, options.pictureOf ?? (async () => null)),
      );
      await mkdir(options.folder, { recursive: true, mode: 0o700 });
      const file = fileOf(options.folder, id);
      await writeFile(`${file}.part`, message as Buffer, { mode: 0o600 });
      await rename(`${file}.part`, file);
      options.logger.info(
        { mail: id, file },
        "no SMTP_URL: a mail was kept instead, in a file and for GET /api/v1/admin/outbox",
      );
    },
    forget: async (ids) => {
      for (const id of ids) await rm(fileOf(options.folder, id), { force: true });
    },
    close: async () => (await opened)?.close(),
  };
};
