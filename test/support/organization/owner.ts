import { newId } from "../../../src/platform/ids.ts";
import { type Account, call, makeKey, type Reply, signUp } from "../client.ts";
import type { TestService } from "../service.ts";

type Send = (method: string, path: string, body?: unknown) => Promise<Reply>;

/** The owner of an organisation, with the ways to call its service. Paths are below `/api/v1`. */
export type Owner = {
  readonly service: TestService;
  readonly account: Account;
  readonly key: string;
  /** For commands that are executed directly. */
  readonly context: Parameters<TestService["core"]["loop"]["execute"]>[3];
  readonly withKey: Send;
  readonly withSession: Send;
  /** Creates an entity with the API key and returns its id. */
  create(path: string, body: unknown): Promise<string>;
};

export const signUpOwner = async (service: TestService): Promise<Owner> => {
  const account = await signUp(service.url);
  const { accessToken, organizationId } = account;
  const { key } = await makeKey(service.url, account);
  const withKey: Send = (method, path, body) =>
    call(service.url, method, `/api/v1${path}`, { bearer: key, body });
  return {
    service,
    account,
    key,
    context: {
      actor: { type: "system", id: "test" },
      organizationId,
      correlationId: newId(),
      causationId: newId(),
    },
    withKey,
    withSession: (method, path, body) =>
      call(service.url, method, `/api/v1${path}`, { bearer: accessToken, organizationId, body }),
    create: async (path, body) => (await withKey("POST", path, body)).body.id,
  };
};
