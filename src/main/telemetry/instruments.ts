import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** Histogram buckets for the duration of requests, in seconds. */
const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Histogram buckets for the duration of a test, in seconds. */
const TEST_BUCKETS = [1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800];
/** Histogram buckets for the delay of a payment provider's event, in seconds. */
const WEBHOOK_BUCKETS = [1, 5, 15, 60, 300, 1_800, 3_600, 21_600, 86_400];

export type Instruments = ReturnType<typeof createInstruments>;

/**
 * All metrics of a process. Label values are constants of the code or names of read models: no label holds an
 * organisation, person, test or run.
 */
export const createInstruments = () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const factory = createFactory(registry);
  return {
    registry,
    ...requestInstruments(factory),
    ...commandInstruments(factory),
    ...executionInstruments(factory),
    ...webhookInstruments(factory),
    ...queueInstruments(factory),
    ...readModelInstruments(factory),
    ...auditInstruments(factory),
    unread: factory.gauge(
      "runledger_scrape_failed",
      "1 if a source could not be read during the scrape, for example because the database is unavailable.",
      ["source"],
    ),
  };
};

type Factory = ReturnType<typeof createFactory>;

const createFactory = (registry: Registry) => {
  const registers = [registry];
  const counter = <Label extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ) => new Counter({ name, help, labelNames: [...labelNames], registers });
  const gauge = <Label extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ) => new Gauge({ name, help, labelNames: [...labelNames], registers });
  /** A gauge that has no value until a scrape sets one: a process that does not measure it must not report zero. */
  const scraped = (name: string, help: string): Gauge => {
    const made = gauge(name, help);
    made.remove();
    return made;
  };
  const histogram = <Label extends string = never>(
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames: readonly Label[] = [],
  ) => new Histogram({ name, help, buckets: [...buckets], labelNames: [...labelNames], registers });
  return { counter, gauge, scraped, histogram };
};

const requestInstruments = ({ counter, gauge, histogram }: Factory) => ({
  requests: counter(
    "runledger_http_requests_total",
    "Requests answered, by registered route, method and status class.",
    ["method", "route", "status"],
  ),
  requestSeconds: histogram(
    "runledger_http_request_seconds",
    "Time from a request's headers to the end of its response, in seconds.",
    REQUEST_BUCKETS,
    ["method", "route"],
  ),
  turnedAway: counter(
    "runledger_http_turned_away_total",
    "Requests rejected with 503 by load shedding before any processing.",
  ),
  subscribers: gauge("runledger_subscribers", "Open WebSocket connections, by kind.", ["kind"]),
});

const commandInstruments = ({ counter, histogram }: Factory) => ({
  commands: counter(
    "runledger_commands_total",
    "Commands by stream category, type and outcome: recorded, unchanged, refused, contended, unavailable, failed.",
    ["slice", "command", "outcome"],
  ),
  commandSeconds: histogram(
    "runledger_command_seconds",
    "Time from a command to its outcome, in seconds.",
    REQUEST_BUCKETS,
    ["slice"],
  ),
  appends: counter(
    "runledger_appends_total",
    "Appends to the event log by stream category and outcome: appended, conflict, unavailable, unknown, failed.",
    ["slice", "outcome"],
  ),
  appendSeconds: histogram(
    "runledger_append_seconds",
    "Duration of an append to the event log, in seconds.",
    REQUEST_BUCKETS,
  ),
  conflicts: counter(
    "runledger_conflicts_total",
    "Appends that conflicted with another writer, by stream category. The command is decided again.",
    ["slice"],
  ),
  events: counter("runledger_events_total", "Events appended, by type.", ["type"]),
});

const executionInstruments = ({ counter, histogram }: Factory) => ({
  executions: counter(
    "runledger_executions_total",
    "Executions that ended, as recorded by this process, by verdict.",
    ["verdict"],
  ),
  executionSeconds: histogram(
    "runledger_execution_seconds",
    "Duration of executions in their browsers, in seconds.",
    TEST_BUCKETS,
    ["verdict"],
  ),
});

const webhookInstruments = ({ counter, scraped, histogram }: Factory) => ({
  webhooks: counter(
    "runledger_webhooks_total",
    "Payment provider events by provider and outcome: applied, ignored, refused, failed.",
    ["provider", "outcome"],
  ),
  webhookAge: histogram(
    "runledger_webhook_age_seconds",
    "Age of a payment provider event when it was recorded, in seconds.",
    WEBHOOK_BUCKETS,
    ["provider"],
  ),
  webhooksOpen: scraped(
    "runledger_webhooks_open",
    "Payment provider events that are stored and not settled yet.",
  ),
  webhookOldest: scraped(
    "runledger_webhooks_oldest_seconds",
    "Age of the oldest unsettled payment provider event, in seconds.",
  ),
});

const queueInstruments = ({ scraped }: Factory) => ({
  queued: scraped(
    "runledger_queue_waiting",
    "Executions that wait for an executor of this deployment.",
  ),
  queueAge: scraped(
    "runledger_queue_oldest_seconds",
    "Waiting time of the oldest queued execution, in seconds.",
  ),
});

const readModelInstruments = ({ gauge, scraped }: Factory) => ({
  logPosition: scraped("runledger_log_position", "Position of the newest event of the log."),
  projectionPosition: gauge(
    "runledger_projection_position",
    "Position of the last event that a read model has folded.",
    ["projection"],
  ),
  projectionEvents: gauge(
    "runledger_projection_lag_events",
    "Events that a read model has not folded yet, counted up to 10,000.",
    ["projection"],
  ),
  projectionSeconds: gauge(
    "runledger_projection_lag_seconds",
    "Age of the oldest event that a read model has not folded yet, in seconds; 0 if there is none.",
    ["projection"],
  ),
  projectionParked: gauge(
    "runledger_projection_parked_events",
    "Events that a read model could not fold and that wait for an operator.",
    ["projection"],
  ),
});

const auditInstruments = ({ scraped }: Factory) => ({
  logAltered: scraped(
    "runledger_log_altered",
    "1 if the last verification found an event of the log that differs from its signed tree, else 0.",
  ),
  logVerifiedSeconds: scraped(
    "runledger_log_verified_seconds",
    "Age of the last verification of the log against its signed tree, in seconds.",
  ),
  logUnsealedSeconds: scraped(
    "runledger_log_unsealed_seconds",
    "Age of the oldest event without a signed checkpoint, in seconds; 0 if there is none.",
  ),
});
