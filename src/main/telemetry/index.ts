import type { EdgeObserver } from "../../api/edge/observer.ts";
import type { WebhookCommands } from "../../commands/billing/webhooks/index.ts";
import type { CommandLoop } from "../../commands/kernel/commandLoop.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { Config } from "../../platform/config.ts";
import type { Logger } from "../../platform/logger.ts";
import { type Phase, startManagementServer } from "../../platform/managementServer.ts";
import { SettingError } from "../../platform/settingError.ts";
import { errorName, type Traced, type Tracing, tracedBy } from "../../platform/tracing/port.ts";
import type { RunTest } from "../../workers/runs/runTest.ts";
import type { Platform } from "../platform.ts";
import type { Stops } from "../stops.ts";
import { version } from "../version.ts";
import { observedLog, observedLoop, tracedBus, tracedRunTest } from "./decorators.ts";
import type { Instruments } from "./instruments.ts";
import { readScrapeSources, type Sources } from "./sources.ts";

/** Metrics, traces and readiness. Each is off unless a setting enables it. */
export type Telemetry = {
  /** The URL of the metrics listener; null if METRICS_PORT is not set. */
  readonly metricsUrl: string | null;
  observePlatform(platform: Platform): Platform;
  observeLoop(loop: CommandLoop): CommandLoop;
  observeWebhooks(webhooks: WebhookCommands): WebhookCommands;
  observeTests(runTest: RunTest): RunTest;
  readonly edge: EdgeObserver;
  /** Absent if traces are off. */
  readonly traced: Traced | undefined;
  /** Begins a span that outlasts a call; absent if traces are off. */
  readonly begin: Tracing["begin"] | undefined;
  /** Marks the process as started. `trouble` describes unhealthy parts; null if there are none. */
  running(sources: Sources, trouble: () => Promise<string | null>): void;
  /** Marks the process as stopping. */
  draining(): void;
};

/**
 * Starts the telemetry that the settings enable: the listener of METRICS_PORT and traces. Both start first and stop
 * last, to cover the whole life of the process. Rejects with SettingError if the port is in use.
 */
export const startTelemetry = async (
  config: Config,
  logger: Logger,
  stops: Stops,
): Promise<Telemetry> => {
  let phase: Phase = "starting";
  let running: { sources: Sources; trouble: () => Promise<string | null> } | null = null;
  let scrape: Promise<string> | null = null;

  const tracing = config.tracing ? await openTracing(logger, stops) : null;
  const instruments = config.metricsPort === null ? null : await openInstruments();
  const observing = { instruments, tracing };

  /** Concurrent scrapes share one reading of the sources. */
  const readMetrics = (all: Instruments): Promise<string> => {
    scrape ??= (running ? readScrapeSources(all, running.sources) : Promise.resolve())
      .then(() => all.registry.metrics())
      .finally(() => {
        scrape = null;
      });
    return scrape;
  };

  const metricsUrl =
    instruments &&
    (await startListener(config, logger, stops, {
      metrics: () => readMetrics(instruments),
      phase: () => phase,
      trouble: async () => (running ? running.trouble() : null),
    }));

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
      running = { sources, trouble };
      phase = "running";
    },
    draining: () => {
      phase = "draining";
    },
  };
};

/** Starts the listener of METRICS_PORT. Returns its URL; rejects with SettingError if it cannot listen. */
const startListener = async (
  { metricsHost: host, metricsPort }: Config,
  logger: Logger,
  stops: Stops,
  reports: Omit<Parameters<typeof startManagementServer>[0], "host" | "port">,
): Promise<string> => {
  const port = metricsPort ?? 0;
  const listener = await startManagementServer({ host, port, ...reports }).catch(
    (cause: unknown) => {
      throw new SettingError(
        `Cannot listen on METRICS_PORT (${host}:${port}): ${errorName(cause)}. Choose a free port, and an address of this machine for METRICS_HOST.`,
        cause,
      );
    },
  );
  stops.add("metrics", listener.close);
  logger.info({ metrics_url: listener.url }, "serving metrics and health");
  return listener.url;
};

/** Loads OpenTelemetry on demand, which keeps the start fast without it. */
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
  answered: (requestMethod, knownRoute, statusCode, seconds) => {
    // Unknown methods and routes must not create new series.
    const method = METHODS.has(requestMethod) ? requestMethod : "other";
    const route = knownRoute ?? "none";
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
          // Status 0: the client closed the connection.
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
