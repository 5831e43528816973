import type { Mail, PictureOf } from "./port.ts";

/** What every mailer hands to nodemailer: a message with its pictures, and the headers that say what it is. */
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
    // As an object: a name with commas or quotes is written as one name.
    to: { name: mail.to.name, address: mail.to.address },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    messageId: `<${mail.id}@runledger>`,
    attachments: pictures.map((one) => ({ ...one, contentDisposition: "inline" as const })),
    headers: {
      // So that no vacation notice answers it (RFC 3834).
      "Auto-Submitted": "auto-generated",
      // RFC 8058: a mail program offers to unsubscribe, and does so by one POST.
      ...(unsubscribeUrl === undefined
        ? {}
        : {
            "List-Unsubscribe": `<${unsubscribeUrl}>`,
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
          }),
    },
  };
};
