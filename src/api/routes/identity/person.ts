import { z } from "zod";
import { defineOperation, type Operation } from "../../operation.ts";
import { binary, id, timestamp } from "../../schemas.ts";
import { clientOf, currentPassword, noRefreshCookie } from "./shapes.ts";

const facts = z.record(z.string(), z.unknown());

/** The content of the exported file. Further fields of the account depend on the stored data. */
const personalData = z.object({
  exported_at: timestamp.describe("When the file was made."),
  account: z.looseObject({ id }).describe("The account."),
  settings: facts.describe("The settings of the caller."),
  organizations: z.array(facts),
  sessions: z.array(facts).describe("The sessions of the caller."),
  identities: z.array(facts).describe("The linked accounts of OAuth providers."),
  mails: z.array(facts).describe("The mails sent to the caller."),
  history: z.array(facts).describe("The recorded events of the account."),
});

const exportMe = defineOperation({
  id: "exportMe",
  method: "GET",
  path: "/auth/me/export",
  tag: "Authentication",
  summary: "Export the caller's personal data as a JSON file",
  auth: "session",
  permission: null,
  responses: { 200: binary("application/json", "The personal data of the caller", personalData) },
  handler: async ({ principal, services }) => {
    const { userId } = principal;
    const [{ data, settings, history }, organizations] = await Promise.all([
      services.identity.commands.exportPerson(userId),
      services.memberships.organizationsOf(userId),
    ]);
    const { sessions, identities, mails, ...account } = data;
    const file = {
      exported_at: services.clock().toISOString(),
      account: { id: userId, ...account },
      settings: {
        time_zone: settings.timeZone,
        theme: settings.theme,
        product_mail: settings.productMail,
        byo_key_set: settings.hasByoKey,
      },
      organizations,
      sessions,
      identities,
      mails,
      history,
    };
    return {
      status: 200,
      body: Buffer.from(`${JSON.stringify(file, null, 2)}\n`, "utf8"),
      headers: {
        "content-type": "application/json; charset=utf-8",
        "content-disposition": 'attachment; filename="my-data.json"',
      },
    };
  },
});

const eraseMe = defineOperation({
  id: "eraseMe",
  method: "DELETE",
  path: "/auth/me",
  tag: "Authentication",
  summary:
    "Erase the caller's account; 409 while the caller owns an organisation with other members",
  auth: "session",
  permission: null,
  body: z.object({ password: currentPassword }),
  responses: { 204: null },
  errors: [403, 409, 422, 429],
  example: { body: { password: "correct horse battery staple" } },
  handler: async ({ body, principal, services, context, request }) => {
    const { userId } = principal;
    const organizations = await services.memberships.organizationsOf(userId);
    const receipt = await services.identity.commands.erasePerson(context, {
      userId,
      password: body.password,
      client: clientOf(request),
      organizationIds: organizations.map(({ id }) => id),
    });
    return { status: 204, receipt, cookies: [noRefreshCookie] };
  },
});

export const personOperations: readonly Operation[] = [exportMe, eraseMe];
