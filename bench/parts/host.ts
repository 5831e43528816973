import path from "node:path";
import { type Account, makeKey, signUp } from "../../test/support/client.ts";
import { AS_STARTED } from "../harness/nodeArguments.ts";
import { type Helper, startHelper } from "../harness/helperProcess.ts";
import type { BenchContext } from "../harness/bench.ts";
import { createDatabase } from "./postgres.ts";

/** What the service's process can be asked beside its API. */
export type HostRequests = {
  /** Starts the service with these settings; all roles unless some are named. */
  readonly start: {
    readonly asks: {
      readonly environment: Readonly<Record<string, string>>;
      readonly roles?: readonly string[];
    };
    readonly answers: { readonly url: string };
  };
  /** Gives an organisation the largest plan. */
  readonly grant: {
    readonly asks: { readonly organizationId: string };
    readonly answers: object;
  };
  /** Makes runs whose executor is the bench. */
  readonly play: {
    readonly asks: { readonly organizationId: string; readonly runs: number };
    readonly answers: { readonly runIds: readonly string[] };
  };
  /** Tells steps of those runs, evenly over time. */
  readonly steps: {
    readonly asks: {
      readonly organizationId: string;
      readonly perSecond: number;
      readonly seconds: number;
    };
    readonly answers: { readonly told: number };
  };
};

export type HostedService = {
  readonly url: string;
  readonly databaseUrl: string;
  readonly host: Helper<HostRequests>;
  readonly account: Account;
  readonly key: string;
};

/**
 * The service in a process of its own, with an organisation on the largest plan and a key of it.
 * `roles` leaves parts out: without `executor` nothing that is queued is run.
 */
export const startHostedService = async (
  context: BenchContext,
  options: {
    readonly roles?: readonly string[];
    readonly environment?: Readonly<Record<string, string>>;
    /** The name of a database of which a copy is used: its log is there already. */
    readonly seed?: string;
  } = {},
): Promise<HostedService> => {
  const databaseUrl = await createDatabase(context, options.seed);
  const host = startHelper<HostRequests>(context, "serviceHost.ts", AS_STARTED);
  const { url } = await host.ask("start", {
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
  await host.ask("grant", { organizationId: account.organizationId });
  return { url, databaseUrl, host, account, key };
};
