import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** Upper bounds in seconds: of what a caller waits for. */
const WAITING = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Of a test in its browsers. */
const TESTING = [1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800];
/** Of a provider's event, from when it happened. */
const TELLING = [1, 5, 15, 60, 300, 1_800, 3_600, 21_600, 86_400];

export type Instruments = ReturnType<typeof createInstruments>;

/**
 * Every metric of a process. Labels have values that are written in the code, or names of read models: no
 * organisation, person, test or run is in any of them.
 */
export const createInstruments = () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
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
  /** Of what is asked on a scrape: a process that does not ask tells nothing of it, instead of a zero. */
  const asked = (name: string, help: string): Gauge => {
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

  return {
    registry,
    requests: counter(
      "runledger_http_requests_total",
      "Requests answered, by route as it is registered, method and class of the status.",
      ["method", "route", "status"],
    ),
    requestSeconds: histogram(
      "runledger_http_request_seconds",
      "From a request's head until its answer was sent, in seconds.",
      WAITING,
      ["method", "route"],
    ),
    turnedAway: counter(
      "runledger_http_turned_away_total",
      "Requests answered 503 before anything was looked at, because too many were at work.",
    ),
    subscribers: gauge("runledger_subscribers", "WebSockets that are open, by kind.", ["kind"]),
    commands: counter(
      "runledger_commands_total",
      "Commands by stream category, type and outcome: recorded, unchanged, refused, contended, unavailable, failed.",
      ["slice", "command", "outcome"],
    ),
    commandSeconds: histogram(
      "runledger_command_seconds",
      "From a command until it was recorded or refused, in seconds.",
      WAITING,
      ["slice"],
    ),
    appends: counter(
      "runledger_appends_total",
      "Appends to the event log by stream category and outcome: appended, conflict, unavailable, unknown, failed.",
      ["slice", "outcome"],
    ),
    appendSeconds: histogram(
      "runledger_append_seconds",
      "How long the event log takes for an append, in seconds.",
      WAITING,
    ),
    conflicts: counter(
      "runledger_conflicts_total",
      "Appends that met another writer's, by stream category. They are decided anew.",
      ["slice"],
    ),
    events: counter("runledger_events_total", "Events appended, by type.", ["type"]),
    executions: counter(
      "runledger_executions_total",
      "Executions that ended, recorded by this process, by verdict.",
      ["verdict"],
    ),
    executionSeconds: histogram(
      "runledger_execution_seconds",
      "How long executions took in their browsers, in seconds.",
      TESTING,
      ["verdict"],
    ),
    webhooks: counter(
      "runledger_webhooks_total",
      "Events of payment providers by provider and outcome: applied, ignored, refused, failed.",
      ["provider", "outcome"],
    ),
    webhookAge: histogram(
      "runledger_webhook_age_seconds",
      "How old a provider's event was when it was recorded, in seconds.",
      TELLING,
      ["provider"],
    ),
    webhooksOpen: asked(
      "runledger_webhooks_open",
      "Events of payment providers that are kept and have not come to anything yet.",
    ),
    webhookOldest: asked(
      "runledger_webhooks_oldest_seconds",
      "For how long the oldest of them has been kept, in seconds.",
    ),
    queued: asked(
      "runledger_queue_waiting",
      "Executions that wait for an executor of this deployment.",
    ),
    queueAge: asked(
      "runledger_queue_oldest_seconds",
      "For how long the oldest of them has waited, in seconds.",
    ),
    logPosition: asked("runledger_log_position", "Position of the newest event of the log."),
    projectionPosition: gauge(
      "runledger_projection_position",
      "Position of the last event that a read model has folded.",
      ["projection"],
    ),
    projectionEvents: gauge(
      "runledger_projection_lag_events",
      "Events that a read model has not folded yet, 10,000 at most.",
      ["projection"],
    ),
    projectionSeconds: gauge(
      "runledger_projection_lag_seconds",
      "How long ago the first event was recorded that a read model has not folded yet, in seconds; 0 when it has all.",
      ["projection"],
    ),
    projectionParked: gauge(
      "runledger_projection_parked_events",
      "Events that a read model refused, and that wait for somebody to look at them.",
      ["projection"],
    ),
    unread: gauge(
      "runledger_scrape_failed",
      "1 where what is asked on each scrape could not be had, such as from a database that is away.",
      ["source"],
    ),
  };
};
