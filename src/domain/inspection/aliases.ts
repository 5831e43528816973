/** Event fields that identify entities without a stream of their own. */
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

/** The maximum length of an alias, in characters. Providers' ids are shorter. */
const MAX_ALIAS = 200;

/** The aliases that an event adds to its stream: ids of entities in it, and key prefixes. */
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
