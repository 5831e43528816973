import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

/** An account at the provider. Without `emailVerified` the provider sends no `email_verified` claim. */
export type ProviderAccount = {
  readonly email?: string;
  readonly emailVerified?: boolean | undefined;
  readonly name?: string;
};

const CLIENT_ID = "runledger";

/**
 * Starts a real OpenID Connect provider on loopback that requires PKCE. Its page only asks for the account.
 * Its address is `localhost`, which to a browser is another site than the service's 127.0.0.1.
 */
export const startOidcServer = async (options: { readonly claimsInIdToken?: boolean } = {}) => {
  const accounts = new Map<string, ProviderAccount>();
  const clientSecret = `client-secret-${randomUUID()}`;
  let behaviour: "answer" | "hang up" | "silence" | "fault" = "answer";
  const server = createServer((request, response) => {
    if (behaviour === "hang up") request.socket.destroy();
    if (behaviour === "fault") response.writeHead(500, { "content-type": "text/plain" }).end("no");
    if (behaviour === "answer") void answer(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "localhost", resolve);
  });
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const provider = providerOf(issuer, clientSecret, accounts, options.claimsInIdToken ?? false);
  const answer = answererOf(provider, accounts);
  return {
    issuer,
    clientId: CLIENT_ID,
    clientSecret,
    add: (account: ProviderAccount): string => {
      const sub = randomUUID();
      accounts.set(sub, account);
      return sub;
    },
    signInAt: signInAt.bind(null, issuer),
    behave: (next: typeof behaviour) => {
      behaviour = next;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
};

const providerOf = (
  issuer: string,
  clientSecret: string,
  accounts: ReadonlyMap<string, ProviderAccount>,
  claimsInIdToken: boolean,
): Provider => {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: clientSecret,
        redirect_uris: ["http://127.0.0.1/is/allowed/below"],
        token_endpoint_auth_method: "client_secret_post",
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: !claimsInIdToken,
    cookies: { keys: [randomUUID()] },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, sub: string) => {
      const account = accounts.get(sub);
      if (!account) return undefined;
      const { email, emailVerified: email_verified, name } = account;
      return { accountId: sub, claims: async () => ({ sub, email, email_verified, name }) };
    },
    // Consent is granted without a question.
    loadExistingGrant: async (ctx: { oidc: { session: { accountId: string } } }) => {
      const { accountId } = ctx.oidc.session;
      const grant = new provider.Grant({ clientId: CLIENT_ID, accountId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  });
  // The port of the service is not known yet, so any port is allowed.
  provider.Client.prototype.redirectUriAllowed = (uri) => uri.startsWith("http://127.0.0.1:");
  return provider;
};

/** Answers the requests of the provider. Its page has a button for each account, and one for nobody. */
const answererOf = (
  provider: Provider,
  accounts: ReadonlyMap<string, ProviderAccount>,
): ((request: IncomingMessage, response: ServerResponse) => Promise<void>) => {
  const standard = provider.callback();
  return async (request, response) => {
    if (!request.url?.startsWith("/interaction/")) {
      standard(request, response);
    } else if (request.method === "POST") {
      const accountId = new URLSearchParams(await textOf(request)).get("sub") ?? "";
      const result = accountId === "nobody" ? { error: "access_denied" } : { login: { accountId } };
      await provider.interactionFinished(request, response, result);
    } else {
      const buttons = [...accounts.keys(), "nobody"].map(
        (sub) => `<button name="sub" value="${sub}">${sub}</button>`,
      );
      response.setHeader("content-type", "text/html");
      response.end(`<title>Whose?</title><form method="post">${buttons.join("")}</form>`);
    }
  };
};

/** Signs in on the provider's pages like a browser, and returns the address that the provider redirects to. */
const signInAt = async (issuer: string, authorizationUrl: string, sub: string): Promise<string> => {
  const visit = createVisitor();
  let reply = await visit(authorizationUrl);
  for (let step = 0; step < 10; step += 1) {
    const location = reply.headers.get("location");
    if (location === null) {
      throw new Error(`the provider answered ${reply.status}: ${await reply.text()}`);
    }
    const url = new URL(location, issuer).href;
    if (!url.startsWith(issuer)) return url;
    reply = url.includes("/interaction/")
      ? await visit(url, new URLSearchParams({ sub }))
      : await visit(url);
  }
  throw new Error("the provider redirects in a loop");
};

/** Requests pages with the cookies of the earlier ones. */
const createVisitor = () => {
  const jar = new Map<string, string>();
  return async (url: string, body?: URLSearchParams): Promise<Response> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const reply = await fetch(url, {
      redirect: "manual",
      headers: { cookie },
      ...(body ? { method: "POST", body } : {}),
    });
    for (const line of reply.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") jar.delete(name);
      else jar.set(name, value);
    }
    return reply;
  };
};

export type TestOidcServer = Awaited<ReturnType<typeof startOidcServer>>;

/** Settings of a service that uses the provider for `google` and for `microsoft`. */
export const oauthSettings = ({ issuer, clientId, clientSecret }: TestOidcServer) => ({
  OAUTH_GOOGLE_ISSUER: issuer,
  OAUTH_GOOGLE_CLIENT_ID: clientId,
  OAUTH_GOOGLE_CLIENT_SECRET: clientSecret,
  OAUTH_MICROSOFT_ISSUER: issuer,
  OAUTH_MICROSOFT_CLIENT_ID: clientId,
  OAUTH_MICROSOFT_CLIENT_SECRET: clientSecret,
});

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
};
