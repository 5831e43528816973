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
  trace,
} from "@opentelemetry/api";
import { NodeSDK, resources } from "@opentelemetry/sdk-node";
import type { Span, Tracing } from "./port.ts";

/** How long a stop waits for the last spans to be taken, in milliseconds. */
const STOP_MS = 3_000;

/** So often it is said at most that a receiver does not take what it is sent, in milliseconds. */
const TELL_EVERY_MS = 60_000;

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/**
 * Traces by OpenTelemetry's SDK, which reads its `OTEL_*` settings from the environment itself: where to, by
 * which protocol, how many. One for a process: the SDK is global. Loaded by those alone who asked for it.
 */
export const startTracing = (deps: {
  readonly version: string;
  /** What the process is called in traces, unless OTEL_SERVICE_NAME says otherwise. */
  readonly service: string;
  /** Told of what goes wrong, now and then. A pino logger fits. */
  readonly logger: { warn(fields: object, message: string): void };
}): Tracing => {
  const { logger } = deps;
  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = (message: string): void => {
    if (performance.now() - toldAt < TELL_EVERY_MS) return;
    toldAt = performance.now();
    logger.warn({ part: "telemetry", why: shortly(message) }, "traces are not taken");
  };
  diag.setLogger(
    { error: tell, warn: tell, info: () => {}, debug: () => {}, verbose: () => {} },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const { defaultResource, envDetector, resourceFromAttributes } = resources;
  const sdk = new NodeSDK({
    resource: defaultResource().merge(
      resourceFromAttributes({ "service.name": deps.service, "service.version": deps.version }),
    ),
    // The others tell the command line, and which account of the machine runs it.
    resourceDetectors: [envDetector],
    instrumentations: [],
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  const tracer = trace.getTracer("runledger", deps.version);

  return {
    begin: (name, options = {}) => {
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
      } satisfies Span;
    },
    active: () => {
      const active = trace.getSpanContext(context.active());
      return active && writeTraceparent(active);
    },
    stop: async () => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, STOP_MS);
      });
      const ended = sdk.shutdown().catch((error: unknown) => {
        logger.warn({ err: error, part: "telemetry" }, "the last spans were not taken");
      });
      await Promise.race([ended, late]);
      clearTimeout(timer);
      for (const global of [trace, context, propagation, diag]) global.disable();
    },
  };
};

/** The SDK tells of an error as JSON, with its stack: what it says is enough. */
const shortly = (message: string): string => {
  const said = /"message":"([^"]*)"/.exec(message)?.[1] ?? message;
  return said.slice(0, 300);
};

/** W3C Trace Context: version, trace, parent, flags. All zeros are no trace, and no parent. */
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
