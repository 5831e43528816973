/** What is said of a span: where it belongs and how it ended. Never what somebody typed, a name of a person, or a secret. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** As OpenTelemetry has them. */
export type SpanKind = "internal" | "server" | "client" | "producer" | "consumer";

export type SpanOptions = {
  readonly kind?: SpanKind;
  /** The `traceparent` (W3C) of what caused it. Unless given, or when it is none: the span within which it begins. */
  readonly parent?: string | undefined;
  /** The `traceparent` of what else it is about, such as each message of many that are handled at once. */
  readonly links?: readonly string[];
  readonly attributes?: Attributes;
};

/** A stretch of time with a name, in a trace. */
export type Span = {
  /** Names it to whoever goes on with the trace. */
  readonly traceparent: string;
  /** Does something within it: spans that begin there, or in what follows from there, are its children. */
  within<T>(work: () => T): T;
  /** Ends it. `error`: a word for what went wrong, a code or an error's name. */
  end(result?: { readonly error?: string; readonly attributes?: Attributes }): void;
};

/** What follows a request through the service. */
export type Tracing = {
  begin(name: string, options?: SpanOptions): Span;
  /** The `traceparent` of the span within which this is called; undefined outside of any. */
  active(): string | undefined;
  /** Sends what is not sent yet, and ends. */
  stop(): Promise<void>;
};

/** Does something as a span of its own. */
export type Traced = <T>(name: string, options: SpanOptions, work: () => Promise<T>) => Promise<T>;

/** Spans around work; a failure is told by its name alone, for its words may hold anything. */
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

/** A word for an error: its code, or what kind it is. */
export const errorName = (error: unknown): string => {
  if (!(error instanceof Error)) return "unknown";
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : error.name;
};
