import { z } from "zod";
import type { OwnSettings } from "../../../commands/identity/settings.ts";
import { isZone } from "../../../domain/schedules/zone.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import type { Services } from "../../services.ts";

const timeZone = z
  .string()
  .max(64)
  .refine(isZone, "must be the name of an IANA time zone, such as Europe/Berlin");
const theme = z.enum(["system", "light", "dark"]);

const settings = z
  .object({
    time_zone: z.string().describe("The time zone for displayed times."),
    theme,
    product_mail: z
      .boolean()
      .describe("Whether to send account mail that does not concern security."),
    byo_key: z.object({
      enabled: z.boolean().describe("Whether the operator enabled BYO_KEY_ENABLED."),
      set: z.boolean().describe("Whether a key is stored. The key itself is never returned."),
    }),
  })
  .meta({ id: "UserSettings", description: "The settings of the caller." });

const shown = (own: OwnSettings, services: Services): z.output<typeof settings> => ({
  time_zone: own.timeZone,
  theme: own.theme,
  product_mail: own.productMail,
  byo_key: { enabled: services.config.byoKeyEnabled, set: own.hasByoKey },
});

const example = {
  time_zone: "Europe/Berlin",
  theme: "dark",
  product_mail: false,
  byo_key: { enabled: false, set: false },
};

const readSettings = defineOperation({
  id: "readSettings",
  method: "GET",
  path: "/settings",
  tag: "Settings",
  summary: "Read the caller's settings",
  auth: "session",
  permission: null,
  responses: { 200: settings },
  example: { response: example },
  handler: async ({ principal, services }) => {
    const own = await services.identity.commands.settingsOf(principal.userId);
    return { status: 200, body: shown(own, services) };
  },
});

const changeSettings = defineOperation({
  id: "changeSettings",
  method: "PUT",
  path: "/settings",
  tag: "Settings",
  summary: "Change the caller's settings; omitted fields keep their values",
  auth: "session",
  permission: null,
  body: z.object({
    time_zone: timeZone.optional(),
    theme: theme.optional(),
    product_mail: z.boolean().optional(),
  }),
  responses: { 200: settings },
  errors: [422],
  example: { body: { time_zone: "Europe/Berlin", theme: "dark" }, response: example },
  handler: async ({ body, principal, services, context }) => {
    const changes = {
      ...(body.time_zone === undefined ? {} : { timeZone: body.time_zone }),
      ...(body.theme === undefined ? {} : { theme: body.theme }),
      ...(body.product_mail === undefined ? {} : { productMail: body.product_mail }),
    };
    const { changeSettings: change } = services.identity.commands;
    const changed = await change(context, principal.userId, changes);
    return { status: 200, body: shown(changed.settings, services), receipt: changed.receipt };
  },
});

const setByoKey = defineOperation({
  id: "setByoKey",
  method: "PUT",
  path: "/settings/byo-key",
  tag: "Settings",
  summary:
    "Store the caller's own model key; 403 unless enabled by the operator. The key is never returned",
  auth: "session",
  permission: null,
  body: z.object({
    key: z
      .string()
      .min(8, "must be at least 8 characters")
      .max(500, "must be at most 500 characters")
      .regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces"),
  }),
  responses: { 204: null },
  errors: [403, 422],
  example: { body: { key: "sk-0123456789abcdef" } },
  handler: async ({ body, principal, services, context }) => ({
    status: 204,
    receipt: await services.identity.commands.setByoKey(context, principal.userId, body.key),
  }),
});

const removeByoKey = defineOperation({
  id: "removeByoKey",
  method: "DELETE",
  path: "/settings/byo-key",
  tag: "Settings",
  summary: "Delete the caller's own model key",
  auth: "session",
  permission: null,
  responses: { 204: null },
  errors: [403],
  handler: async ({ principal, services, context }) => ({
    status: 204,
    receipt: await services.identity.commands.removeByoKey(context, principal.userId),
  }),
});

export const settingsOperations: readonly Operation[] = [
  readSettings,
  changeSettings,
  setByoKey,
  removeByoKey,
];
