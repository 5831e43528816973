import {
  context,
  DiagLogLevel,
  diag,
  propagation,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { NodeSDK, resources } from "@opentelemetry/sdk-node";
import { within } from "../within.ts";
import type { Span, SpanOptions, Tracing } from "./port.ts";

/** The time that a stop waits for the export of the last spans, in milliseconds. */
const STOP_MS = 3_000;

/** The minimum interval of warnings about failed exports, in milliseconds. */
const WARN_EVERY_MS = 60_000;

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

type TracingLogger = { warn(fields: object, message: string): void };

/**
 * Starts OpenTelemetry's SDK, which reads the `OTEL_*` settings from the environment. The SDK is global: start it
 * once per process. This module is imported only if tracing is enabled.
 */
export const startTracing = (deps: {
  readonly version: string;
  /** The service name in traces, unless OTEL_SERVICE_NAME is set. */
  readonly service: string;
  /** Receives warnings, rate-limited. A pino logger fits. */
  readonly logger: TracingLogger;
}): Tracing => {
  const { logger, service, version } = deps;
  reportFailedExports(logger);
  const { defaultResource, envDetector, resourceFromAttributes } = resources;
  const sdk = new NodeSDK({
    resource: defaultResource().merge(
      resourceFromAttributes({ "service.name": service, "service.version": version }),
    ),
    // Other detectors would export the command line and the account of the process.
    resourceDetectors: [envDetector],
    instrumentations: [],
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  return {
    begin: beginSpan.bind(null, trace.getTracer("runledger", version)),
    active: () => {
      const active = trace.getSpanContext(context.active());
      return active && writeTraceparent(active);
    },
    stop: async () => {
      const ended = sdk.shutdown().catch((error: unknown) => {
        logger.warn({ err: error, part: "telemetry" }, "the export of the last spans failed");
      });
      await within(ended, STOP_MS, () => undefined);
      for (const global of [trace, context, propagation, diag]) global.disable();
    },
  };
};

const reportFailedExports = (logger: TracingLogger): void => {
  let warnedAt = Number.NEGATIVE_INFINITY;
  const warn = (message: string): void => {
    if (performance.now() - warnedAt < WARN_EVERY_MS) return;
    warnedAt = performance.now();
    logger.warn({ part: "telemetry", why: shorten(message) }, "the export of traces failed");
  };
  diag.setLogger(
    { error: warn, warn, info: () => {}, debug: () => {}, verbose: () => {} },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
};

const beginSpan = (tracer: Tracer, name: string, options: SpanOptions = {}): Span => {
  const { kind = "internal", parent, attributes, links = [] } = options;
  const remote = parent === undefined ? null : readTraceparent(parent);
  const linked = links.map(readTraceparent).filter((one) => one !== null);
  const around = remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : context.active();
  const span = tracer.startSpan(
    name,
    {
      kind: kinds[kind],
      ...(attributes && { attributes: { ...attributes } }),
      ...(linked.length > 0 && { links: linked.map((one) => ({ context: one })) }),
    },
    around,
  );
  const within = trace.setSpan(around, span);
  return {
    traceparent: writeTraceparent(span.spanContext()),
    within: (work) => context.with(within, work),
    end: (result = {}) => {
      if (result.attributes) span.setAttributes({ ...result.attributes });
      if (result.error !== undefined) {
        span.setAttribute("error.type", result.error);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
};

/** The SDK reports errors as JSON with a stack: keeps the message. */
const shorten = (message: string): string => {
  const said = /"message":"([^"]*)"/.exec(message)?.[1] ?? message;
  return said.slice(0, 300);
};

/** W3C Trace Context: version, trace id, parent id, flags. All-zero ids are invalid. */
const TRACEPARENT = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})/;

const readTraceparent = (text: string): SpanContext | null => {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (text.startsWith("ff")) return null;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return { traceId, spanId, traceFlags, isRemote: true };
};

const writeTraceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
