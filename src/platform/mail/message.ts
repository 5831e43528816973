import type { Mail, PictureOf } from "./port.ts";

/** Converts a mail with its pictures to a message of nodemailer. */
export const messageOf = async (mail: Mail, from: string, pictureOf: PictureOf) => {
  const pictures = [];
  for (const { cid, key } of mail.pictures ?? []) {
    const picture = await pictureOf(key);
    if (!picture) continue;
    const { bytes: content, contentType } = picture;
    pictures.push({ cid, content, contentType, filename: `${cid}.${contentType.split("/")[1]}` });
  }
  const { unsubscribeUrl } = mail;
  return {
    from,
    // As an object, so that names with commas or quotes are encoded.
    to: { name: mail.to.name, address: mail.to.address },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    messageId: `<${mail.id}@runledger>`,
    attachments: pictures.map((one) => ({ ...one, contentDisposition: "inline" as const })),
    headers: {
      // Suppresses automatic replies (RFC 3834).
      "Auto-Submitted": "auto-generated",
      // One-click unsubscribe (RFC 8058).
      ...(unsubscribeUrl === undefined
        ? {}
        : {
            "List-Unsubscribe": `<${unsubscribeUrl}>`,
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
          }),
    },
  };
};
