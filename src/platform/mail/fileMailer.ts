import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Logger } from "../logger.ts";
import { messageOf } from "./message.ts";
import type { Mailer, PictureOf } from "./port.ts";

const fileOf = (folder: string, id: string): string => path.join(folder, `${id}.eml`);

/**
 * Without a mail server: stores each message as an .eml file readable only by the operator (mode 0600), and logs its
 * path. The content is not logged.
 */
export const folderMailer = (options: {
  readonly folder: string;
  readonly from: string;
  readonly pictureOf?: PictureOf;
  readonly logger: Pick<Logger, "info">;
}): Mailer => {
  /** Loaded with the first mail, to save memory until then. */
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
        "SMTP_URL is not set: a mail was stored in a file and is listed by GET /api/v1/admin/outbox",
      );
    },
    forget: async (ids) => {
      for (const id of ids) await rm(fileOf(options.folder, id), { force: true });
    },
    close: async () => (await opened)?.close(),
  };
};
