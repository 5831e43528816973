import path from "node:path";
import { type Account, makeKey, signUp } from "../../test/support/client.ts";
import type { BenchContext } from "../harness/bench.ts";
import { type Helper, startHelper } from "../harness/helperProcess.ts";
import { SERVICE_ARGUMENTS } from "../harness/nodeArguments.ts";
import { createDatabase } from "./postgres.ts";

/** Procedures of the service process, in addition to its API. */
export type HostProcedures = {
  /** Starts the service. `roles` defaults to all. */
  readonly start: {
    readonly request: {
      readonly environment: Readonly<Record<string, string>>;
      readonly roles?: readonly string[];
    };
    readonly response: { readonly url: string };
  };
  /** Grants the organisation the largest plan. */
  readonly grantPlan: {
    readonly request: { readonly organizationId: string };
    readonly response: object;
  };
  /** Starts runs whose events the bench emits itself. */
  readonly startRuns: {
    readonly request: { readonly organizationId: string; readonly runs: number };
    readonly response: { readonly runIds: readonly string[] };
  };
  /** Emits step events of those runs, evenly over time. */
  readonly emitSteps: {
    readonly request: {
      readonly organizationId: string;
      readonly perSecond: number;
      readonly seconds: number;
    };
    readonly response: { readonly emitted: number };
  };
};

export type HostedService = {
  readonly url: string;
  readonly databaseUrl: string;
  readonly host: Helper<HostProcedures>;
  readonly account: Account;
  readonly key: string;
};

/**
 * Starts the service in a child process, with an organisation on the largest plan and an API key.
 * Without the role `executor` queued runs do not start.
 */
export const startHostedService = async (
  context: BenchContext,
  options: {
    readonly roles?: readonly string[];
    readonly environment?: Readonly<Record<string, string>>;
    /** A database to copy, with an event log. */
    readonly seed?: string;
  } = {},
): Promise<HostedService> => {
  const databaseUrl = await createDatabase(context, options.seed);
  const host = startHelper<HostProcedures>(context, "serviceHost.ts", SERVICE_ARGUMENTS);
  const { url } = await host.call("start", {
    environment: {
      PORT: "0",
      RATE_LIMIT: "off",
      LOG_LEVEL: "warn",
      DATA_DIR: path.join(context.folder, "service"),
      DATABASE_URL: databaseUrl,
      ...options.environment,
    },
    ...(options.roles && { roles: options.roles }),
  });
  const account = await signUp(url);
  const { key } = await makeKey(url, account);
  await host.call("grantPlan", { organizationId: account.organizationId });
  return { url, databaseUrl, host, account, key };
};
