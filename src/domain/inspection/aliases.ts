/** By which fields of which events something is known that has no stream of its own. */
const known: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ApiKeyCreated: { keyId: "an API key", prefix: "an API key that begins so" },
  MemberInvited: { inviteId: "an invite" },
  FolderCreated: { folderId: "a folder" },
  EnvironmentDefined: { environmentId: "an environment" },
  FileAdded: { fileId: "a file" },
  TagCreated: { tagId: "a tag" },
  ContactAdded: { contactId: "a contact" },
  PlanChangeCreated: { changeId: "a plan change" },
  PlanChangeApplied: { subscriptionId: "a subscription" },
  PlanAttentionRaised: { providerEventId: "a provider's event that needed attention" },
  WebhookReceived: { eventId: "a provider's event", subscriptionId: "a provider's event of it" },
  SessionOpened: { sessionId: "a session" },
};

/** In characters: a provider's ids are shorter, and longer ones nobody looks for. */
const MAX_ALIAS = 200;

/** By what else the stream of an event is known from now on: ids of things in it, the beginning of a key. */
export const aliasesOf = (event: {
  readonly type: string;
  readonly stream: string;
  readonly data: unknown;
}): readonly { readonly alias: string; readonly stream: string; readonly what: string }[] =>
  Object.entries(known[event.type] ?? {}).flatMap(([field, what]) => {
    const alias = (event.data as Readonly<Record<string, unknown>> | null)?.[field];
    return typeof alias === "string" && alias !== "" && alias.length <= MAX_ALIAS
      ? [{ alias, stream: event.stream, what }]
      : [];
  });
