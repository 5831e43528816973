import type { z } from "zod";
import { fromAgent, toAgent } from "../../domain/agents/protocol.ts";
import { incoming, outgoing } from "../ws/messages.ts";
import { inlineSchema, type Json } from "./jsonSchema.ts";

type Message = { readonly name: string; readonly schema: z.ZodType };

/** A WebSocket of the service, with the messages in both directions. */
type Channel = {
  readonly name: string;
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly security: readonly string[];
  readonly received: readonly Message[];
  readonly sent: readonly Message[];
  readonly examples: Readonly<Record<string, Json>>;
};

const RUN = "019a0000-0000-7000-8000-000000000001";
const ORGANIZATION = "019a0000-0000-7000-8000-000000000002";

const execution: Channel = {
  name: "execution",
  path: "/ws/execution",
  title: "Live events of runs",
  description:
    "Sends the events of runs that the client subscribes to, each once and in order. A page that cannot send `Authorization` offers the subprotocols `runledger` and `bearer.<access token or API key>`. The connection closes with 4401 when the credential ends or its user may no longer read a watched run, with 4429 after more than 100 unhandled messages, and with 1001 when the service stops. Clients then reconnect and resume with `after`.",
  security: ["bearer", "session"],
  received: messagesOf(incoming),
  sent: messagesOf(outgoing),
  examples: {
    subscribeRun: { type: "subscribe", run_id: RUN, after: 12 },
    subscribeOrganization: {
      type: "subscribe",
      organization_id: ORGANIZATION,
      after: "48213",
    },
    organizationSubscribed: {
      type: "subscribed",
      organization_id: ORGANIZATION,
      position: "48213",
    },
    event: {
      type: "event",
      run_id: RUN,
      sequence: 13,
      name: "step_passed",
      execution_id: "019a0000-0000-7000-8000-000000000003",
      browser: "chromium",
      attempt: 1,
      delivery: 1,
      step_number: 2,
      data: { duration_ms: 80, locator: "role=button" },
      at: "2026-01-31T10:00:00.000Z",
      position: "48219",
    },
    error: { type: "error", detail: `There is no run ${RUN}.` },
  },
};

const agent: Channel = {
  name: "agent",
  path: "/ws/agent",
  title: "Executions of agents",
  description:
    "Sends executions to an agent and receives its results. The agent sends `hello` first. The service acknowledges each message with `ack` once it is recorded. The connection closes with 4401 when the API key ends, and with 4408 if no `hello` arrives within 10 s.",
  security: ["bearer"],
  received: variantsOf("agent", fromAgent.options),
  sent: variantsOf("service", toAgent.options),
  examples: {},
};

function messagesOf(schemas: Readonly<Record<string, z.ZodType>>): readonly Message[] {
  return Object.entries(schemas).map(([name, schema]) => ({ name, schema }));
}

/** The messages of a union, named by their sender and type: `agentHello`. */
function variantsOf(
  sender: string,
  options: readonly (z.ZodType & { readonly shape: { readonly type: z.ZodLiteral } })[],
): readonly Message[] {
  return options.map((schema) => {
    const type = String(schema.shape.type.value);
    return { name: sender + type.charAt(0).toUpperCase() + type.slice(1), schema };
  });
}

const channels = [execution, agent];

const ref = (path: string): Json => ({ $ref: `#/${path}` });

const describeChannel = ({ path, title, description, received, sent }: Channel): Json => ({
  address: `/api/v1${path}`,
  title,
  description,
  servers: [ref("servers/service")],
  messages: Object.fromEntries(
    [...received, ...sent].map(({ name }) => [name, ref(`components/messages/${name}`)]),
  ),
});

/** The operations of the service, as AsyncAPI names them: it receives from clients and sends to them. */
const describeOperations = (channel: Channel): readonly (readonly [string, Json])[] =>
  (["receive", "send"] as const).map((action) => {
    const messages = action === "receive" ? channel.received : channel.sent;
    const to = (name: string) => ref(`channels/${channel.name}/messages/${name}`);
    return [
      `${action}${channel.name.charAt(0).toUpperCase()}${channel.name.slice(1)}`,
      {
        action,
        channel: ref(`channels/${channel.name}`),
        security: channel.security.map((name) => ref(`components/securitySchemes/${name}`)),
        messages: messages.map(({ name }) => to(name)),
      },
    ];
  });

const describeMessages = (channel: Channel): readonly (readonly [string, Json])[] =>
  [...channel.received, ...channel.sent].map(({ name, schema }) => {
    const example = channel.examples[name];
    return [
      name,
      {
        name,
        contentType: "application/json",
        payload: inlineSchema(schema),
        ...(example && { examples: [{ payload: example }] }),
      },
    ];
  });

/** The AsyncAPI 3 document of the WebSockets, from the schemas that validate their messages. Deterministic. */
export const buildAsyncApi = (): Json => ({
  asyncapi: "3.0.0",
  info: {
    title: "Runledger WebSockets",
    version: "1.0.0",
    description:
      "The real-time channels of the service. Subscriptions of GraphQL are at /api/v1/ws/graphql by the protocol graphql-transport-ws; schema.graphql describes them.",
    license: { name: "Apache-2.0" },
  },
  defaultContentType: "application/json",
  servers: { service: { host: "localhost:8080", protocol: "ws" } },
  channels: Object.fromEntries(channels.map((one) => [one.name, describeChannel(one)])),
  operations: Object.fromEntries(channels.flatMap(describeOperations)),
  components: {
    messages: Object.fromEntries(channels.flatMap(describeMessages)),
    securitySchemes: {
      bearer: {
        type: "http",
        scheme: "bearer",
        description: "An access token or an API key; agents take API keys only.",
      },
      session: {
        type: "httpApiKey",
        in: "cookie",
        name: "refresh_token",
        description: "The session cookie, from pages of allowed origins.",
      },
    },
  },
});
