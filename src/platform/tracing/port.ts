/** Attributes of a span. Never user input, personal data or secrets. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** The span kinds of OpenTelemetry. */
export type SpanKind = "internal" | "server" | "client" | "producer" | "consumer";

export type SpanOptions = {
  readonly kind?: SpanKind;
  /** The W3C `traceparent` of the parent. If missing or invalid: the active span. */
  readonly parent?: string | undefined;
  /** The `traceparent` of linked spans, such as those of the messages of a batch. */
  readonly links?: readonly string[];
  readonly attributes?: Attributes;
};

export type Span = {
  /** The W3C `traceparent` of the span, to continue the trace elsewhere. */
  readonly traceparent: string;
  /** Runs `work` with the span active: spans that it starts, also asynchronously, are children. */
  within<T>(work: () => T): T;
  /** Ends the span. `error`: an error code or name. */
  end(result?: { readonly error?: string; readonly attributes?: Attributes }): void;
};

export type Tracing = {
  begin(name: string, options?: SpanOptions): Span;
  /** The `traceparent` of the active span; undefined if there is none. */
  active(): string | undefined;
  /** Exports the remaining spans and stops. */
  stop(): Promise<void>;
};

/** Runs work in a new span. */
export type Traced = <T>(name: string, options: SpanOptions, work: () => Promise<T>) => Promise<T>;

/** Runs work in spans. A failed span has only the error's name, because messages may contain user data. */
export const tracedBy =
  (tracing: Pick<Tracing, "begin">): Traced =>
  async (name, options, work) => {
    const span = tracing.begin(name, options);
    try {
      const result = await span.within(work);
      span.end();
      return result;
    } catch (error) {
      span.end({ error: errorName(error) });
      throw error;
    }
  };

/** The code of an error, or its class name. */
export const errorName = (error: unknown): string => {
  if (!(error instanceof Error)) return "unknown";
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : error.name;
};
