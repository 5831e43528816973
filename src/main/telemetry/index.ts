import type { EdgeObserver } from "../../api/edge/observer.ts";
import type { WebhookCommands } from "../../commands/billing/webhooks/index.ts";
import type { CommandLoop } from "../../commands/kernel/commandLoop.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { Config } from "../../platform/config.ts";
import type { Logger } from "../../platform/logger.ts";
import { type Phase, startManagementServer } from "../../platform/managementServer.ts";
import { SettingError } from "../../platform/partHealth.ts";
import { errorName, type Traced, type Tracing, tracedBy } from "../../platform/tracing/port.ts";
import type { RunTest } from "../../workers/runs/delivery.ts";
import type { Platform } from "../platform.ts";
import type { Stops } from "../stops.ts";
import { version } from "../version.ts";
import { observedLog, observedLoop, tracedBus, tracedRunTest } from "./decorators.ts";
import type { Instruments } from "./instruments.ts";
import { readScrapeSources, type Sources } from "./sources.ts";

/** What those who look after the service are told: numbers, traces, whether it is ready. Nothing of it unless a setting asks. */
export type Telemetry = {
  /** Where numbers and health are told; null when METRICS_PORT is not set. */
  readonly metricsUrl: string | null;
  observePlatform(platform: Platform): Platform;
  observeLoop(loop: CommandLoop): CommandLoop;
  observeWebhooks(webhooks: WebhookCommands): WebhookCommands;
  observeTests(runTest: RunTest): RunTest;
  readonly edge: EdgeObserver;
  /** Absent when nobody asked for traces. */
  readonly traced: Traced | undefined;
  /** The same, for what lasts longer than a call. */
  readonly begin: Tracing["begin"] | undefined;
  /** From here on the process is ready as far as its parts are. `trouble`: what is wrong with them, null when nothing is. */
  running(sources: Sources, trouble: () => Promise<string | null>): void;
  /** From here on it takes no more. */
  draining(): void;
};

/**
 * Starts what the settings ask for: the listener of METRICS_PORT, which answers from the beginning of the start
 * on, and traces. Both stop last, so that they tell of the stop too. Rejects when the port is taken.
 */
export const startTelemetry = async (
  config: Config,
  logger: Logger,
  stops: Stops,
): Promise<Telemetry> => {
  let phase: Phase = "starting";
  let asked: { sources: Sources; trouble: () => Promise<string | null> } | null = null;
  let reading: Promise<string> | null = null;

  const tracing = config.tracing ? await openTracing(logger, stops) : null;
  const instruments = config.metricsPort === null ? null : await openInstruments();
  const observing = { instruments, tracing };

  /** However many ask at once, the parts are asked once. */
  const readMetrics = (all: Instruments): Promise<string> => {
    reading ??= (asked ? readScrapeSources(all, asked.sources) : Promise.resolve())
      .then(() => all.registry.metrics())
      .finally(() => {
        reading = null;
      });
    return reading;
  };

  let metricsUrl: string | null = null;
  if (instruments && config.metricsPort !== null) {
    const [host, port] = [config.metricsHost, config.metricsPort];
    const listener = await startManagementServer({
      host,
      port,
      metrics: () => readMetrics(instruments),
      phase: () => phase,
      trouble: async () => (asked ? asked.trouble() : null),
    }).catch((cause: unknown) => {
      throw new SettingError(
        `Metrics cannot be told at METRICS_PORT (${host}:${port}): ${errorName(cause)}. Choose a port that is free, and an address of this machine for METRICS_HOST.`,
        cause,
      );
    });
    stops.add("metrics", listener.close);
    metricsUrl = listener.url;
    logger.info({ metrics_url: metricsUrl }, "metrics and health are told here");
  }

  return {
    metricsUrl,
    observePlatform: (platform) => ({
      ...platform,
      log: instruments || tracing ? observedLog(platform.log, observing) : platform.log,
      bus: tracing ? tracedBus(platform.bus, tracing) : platform.bus,
    }),
    observeLoop: (loop) => (instruments || tracing ? observedLoop(loop, observing) : loop),
    observeWebhooks: (webhooks) =>
      instruments ? countedWebhooks(webhooks, instruments) : webhooks,
    observeTests: (runTest) => (tracing ? tracedRunTest(runTest, tracing) : runTest),
    edge: {
      ...(instruments && edgeCounts(instruments)),
      ...(tracing && { trace: traceRequests(tracing) }),
    },
    traced: tracing ? tracedBy(tracing) : undefined,
    begin: tracing?.begin,
    running: (sources, trouble) => {
      asked = { sources, trouble };
      phase = "running";
    },
    draining: () => {
      phase = "draining";
    },
  };
};

/** Loaded when it is asked for: a start that needs none of it is not to pay for it. */
const openTracing = async (logger: Logger, stops: Stops): Promise<Tracing> => {
  const { startTracing } = await import("../../platform/tracing/openTelemetry.ts");
  const tracing = startTracing({ version, service: "runledger", logger });
  stops.add("traces", tracing.stop);
  return tracing;
};

const openInstruments = async (): Promise<Instruments> => {
  const { createInstruments } = await import("./instruments.ts");
  return createInstruments();
};

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]);

const edgeCounts = (instruments: Instruments): EdgeObserver => ({
  answered: (asked, known, statusCode, seconds) => {
    // What callers make up must not become a series.
    const method = METHODS.has(asked) ? asked : "other";
    const route = known ?? "none";
    instruments.requests.inc({ method, route, status: `${Math.floor(statusCode / 100)}xx` });
    instruments.requestSeconds.observe({ method, route }, seconds);
  },
  turnedAway: () => instruments.turnedAway.inc(),
  subscribed: (kind, change) => instruments.subscribers.inc({ kind }, change),
});

const traceRequests =
  (tracing: Tracing): NonNullable<EdgeObserver["trace"]> =>
  (method, route, parent) => {
    const attributes = { "http.request.method": method, "http.route": route };
    const span = tracing.begin(`${method} ${route}`, { kind: "server", parent, attributes });
    return {
      within: span.within,
      end: (status) =>
        span.end({
          attributes: { "http.response.status_code": status },
          // One that its caller left has no status.
          ...((status >= 500 || status === 0) && { error: status === 0 ? "left" : String(status) }),
        }),
    };
  };

const countedWebhooks = (
  webhooks: WebhookCommands,
  { webhooks: counter }: Instruments,
): WebhookCommands => ({
  ...webhooks,
  receive: async (provider, body, signature) => {
    try {
      const outcome = await webhooks.receive(provider, body, signature);
      counter.inc({ provider, outcome });
      return outcome;
    } catch (error) {
      counter.inc({ provider, outcome: error instanceof DomainError ? "refused" : "failed" });
      throw error;
    }
  },
});
