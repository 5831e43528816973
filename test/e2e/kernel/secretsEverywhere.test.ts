import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Operation } from "../../../src/api/operation.ts";
import { operations } from "../../../src/api/routes/index.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { adminSettings } from "../../support/admins.ts";
import { type CallOptions, call, type Reply } from "../../support/client.ts";
import { oauthSettings, startOidcServer, type TestOidcServer } from "../../support/oidcServer.ts";
import { makeOrganization, type Organization } from "../../support/organization/organization.ts";
import { providerSettings } from "../../support/providers.ts";
import { pathOf, type ValidRequest } from "../../support/requests/recipe.ts";
import { requests } from "../../support/requests/requests.ts";
import { allEvents, allTables, foundIn } from "../../support/secrets.ts";
import { startTestService, type TestService } from "../../support/service.ts";

/** Fields of bodies and queries that hold what only two sides may know. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  "password",
  "current_password",
  "new_password",
  "token",
  "key",
  "value",
  "code",
  "state",
  "access_token",
]);
/** The places of these where a value is not a secret. */
const OPEN = (operation: Operation, field: string): boolean =>
  (field === "value" && !operation.path.includes("/secrets")) ||
  (field === "code" && !operation.path.includes("/oauth")) ||
  // A public key.
  (field === "key" && operation.id === "readCheckpoint");
/** Shorter ones stand in other words by chance. */
const LEAST_LENGTH = 8;

/** The only places where a secret is given to its owner. Without a mail server, the operator reads mail. */
const GIVERS: ReadonlySet<string> = new Set([
  "signUp",
  "login",
  "refreshSession",
  "createApiKey",
  "listOutbox",
]);

/** Calls every operation, and searches all output for the secrets of the requests. */
describe("secrets after calls of every operation", () => {
  let oidc: TestOidcServer;
  let service: TestService;
  let own: Organization;
  const lines: string[] = [];
  const secrets: Record<string, string> = {};
  const answers: { id: string; text: string }[] = [];

  beforeAll(async () => {
    const destination = { write: (line: string) => lines.push(line) };
    oidc = await startOidcServer();
    service = await startTestService(
      { ...providerSettings, ...oauthSettings(oidc), ...adminSettings, BYO_KEY_ENABLED: "true" },
      ["api", "projections", "dispatcher"],
      createLogger({ level: "trace", destination }),
    );
    own = await makeOrganization(service, oidc);
    const { account, key } = own;
    const { masterKey } = service.platform;
    Object.assign(secrets, {
      "client secret": oidc.clientSecret,
      "provider's secret": providerSettings.PROVIDER_A_WEBHOOK_SECRET,
      "master key in hex": masterKey.toString("hex"),
      "master key in base64": masterKey.toString("base64"),
      "API key": key,
      password: account.password,
      "access token": account.accessToken,
      "refresh token": account.cookie.split("=")[1],
    });
    for (const operation of operations) await askFor(operation);
  }, 300_000);
  afterAll(async () => {
    await service?.stop();
    await oidc?.stop();
  });

  const learn = (operation: Operation, where: string, value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [field, inside] of Object.entries(value)) {
      if (typeof inside !== "string") learn(operation, where, inside);
      else if (
        SECRET_FIELDS.has(field) &&
        inside.length >= LEAST_LENGTH &&
        !OPEN(operation, field)
      ) {
        secrets[`${field} of ${operation.id}'s ${where}: ${inside.slice(0, 4)}…`] = inside;
      }
    }
  };

  const credentialFor = ({ auth }: Operation, request: ValidRequest): CallOptions => {
    if (auth === "refreshCookie") {
      return { cookie: request.cookie ?? "", headers: { "x-requested-with": "fetch" } };
    }
    if (request.bearer) return { bearer: request.bearer };
    if (auth === "none") return {};
    return { bearer: auth === "apiKey" ? own.key : own.account.accessToken };
  };

  const askFor = async (operation: Operation): Promise<void> => {
    const request = (await requests[operation.id]?.valid?.(own)) ?? {};
    const options = credentialFor(operation, request);
    const reply: Reply = await call(
      service.url,
      operation.method,
      pathOf(operation.path, request),
      {
        organizationId: request.organizationId ?? own.account.organizationId,
        ...(request.body === undefined ? {} : { body: request.body }),
        ...options,
        headers: { ...request.headers, ...options.headers },
      },
    );
    learn(operation, "body", request.body);
    learn(operation, "query", request.query);
    if (request.bearer) secrets[`bearer of ${operation.id}`] = request.bearer;
    if (request.cookie) secrets[`cookie of ${operation.id}`] = request.cookie.split("=")[1] ?? "";
    learn(operation, "answer", reply.body);
    for (const cookie of reply.headers.getSetCookie()) {
      const [, value = ""] = /=([^;]*)/.exec(cookie) ?? [];
      if (value !== "") secrets[`cookie that ${operation.id} set`] = value;
    }
    const body = Buffer.isBuffer(reply.body)
      ? reply.body.toString("latin1")
      : JSON.stringify(reply.body);
    const headers = [...reply.headers].filter(([name]) => name !== "set-cookie");
    answers.push({ id: operation.id, text: `${JSON.stringify(headers)} ${body}` });
  };

  it("include a minimum number of values, so that a search is meaningful", () => {
    expect(answers).toHaveLength(operations.length);
    const names = Object.keys(secrets).join("\n");
    for (const one of [
      /password of login's body/,
      /new_password of changePassword/,
      /key of setByoKey/,
      /key of createApiKey's answer/,
      /token of acceptInvite/,
      /token of verifyEmail/,
      /token of resetPassword/,
      /code of finishOauth/,
      /state of finishOauth/,
      /access_token of refreshSession/,
      /cookie that finishOauth set/,
      /cookie that startOauth set/,
    ]) {
      expect(names).toMatch(one);
    }
  });

  it("are not in the service's log at trace level", () => {
    expect(lines.length).toBeGreaterThan(operations.length);
    expect(foundIn(lines.join(""), secrets)).toEqual([]);
  });

  it("are not in events", async () => {
    const events = await allEvents(service);
    expect(events.length).toBeGreaterThan(operations.length / 2);
    expect(foundIn(events.join("\n"), secrets)).toEqual([]);
  });

  it("are not in table rows", async () => {
    for (const { name, text } of await allTables(service)) {
      expect([name, foundIn(text, secrets)]).toEqual([name, []]);
      const holdsHash = text.includes(createHash("sha256").update(own.key).digest("hex"));
      expect([name, holdsHash]).toEqual([name, name === "public.api_key_hashes"]);
    }
  });

  it("are only in responses that issue them", () => {
    for (const { id, text } of answers) {
      if (GIVERS.has(id)) continue;
      // A page may repeat its input, because its form needs it.
      const found = foundIn(text, secrets).filter((name) => !name.includes(` of ${id}'s query`));
      expect([id, found]).toEqual([id, []]);
      expect([id, text.includes("$argon2")]).toEqual([id, false]);
    }
  });
});
