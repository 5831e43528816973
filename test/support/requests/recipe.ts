import { steps } from "../organization/catalogue.ts";
import type { Organization } from "../organization/organization.ts";

/** A request that its operation accepts. */
export type ValidRequest = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The caller, if it is not the organisation's own account. */
  readonly bearer?: string;
  /** For operations that authenticate by cookie. */
  readonly cookie?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** X-Org-Id, if it is not the caller's first organisation. */
  readonly organizationId?: string;
};

/** How to call an operation. An absent `valid` means that it needs no input. */
export type Recipe = {
  /** Returns a request with the ids of the caller's organisation. */
  readonly valid?: (organization: Organization) => ValidRequest | Promise<ValidRequest>;
  /** Returns a query or body with another organisation's ids, which must be refused. */
  readonly naming?: (stranger: Organization) => Pick<ValidRequest, "query" | "body">;
};

export const name = "A name";

export const content = { name, steps };

export const ofTest: Recipe = { valid: ({ testId }) => ({ params: { id: testId } }) };

export const ofExecution: Recipe = {
  valid: ({ executionId }) => ({ params: { execution_id: executionId } }),
};

export const created: Recipe = {
  valid: ({ projectId }) => ({ body: { ...content, project_id: projectId } }),
  naming: ({ projectId }) => ({ body: { ...content, project_id: projectId } }),
};

/** Returns the path of an operation below `/api/v1` with its parameters and query. */
export const pathOf = (
  template: string,
  { params = {}, query = {} }: Pick<ValidRequest, "params" | "query">,
): string => {
  const path = template.replace(/\{(\w+)\}/g, (_, key: string) => params[key] ?? "missing");
  const search = new URLSearchParams(query).toString();
  return `/api/v1${path}${search ? `?${search}` : ""}`;
};
