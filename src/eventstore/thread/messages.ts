/** What the thread of the event log is started with. */
export type ThreadOptions = {
  readonly databaseUrl: string;
  readonly host?: string;
  readonly port?: number;
  readonly lockTimeoutMs?: number;
};

/** What the thread says. A reply to a stop is its end. */
export type ThreadMessage =
  | { readonly kind: "ready"; readonly url: string }
  | { readonly kind: "failed"; readonly error: PlainError }
  | {
      readonly kind: "log";
      readonly level: "info" | "warn";
      readonly fields: object;
      readonly text: string;
    };

/** An error as it goes from thread to thread: a copy of an Error loses what its class adds, a code above all. */
export type PlainError = {
  readonly type: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: string | number | undefined;
};

/** What of an error is passed on. */
export const plainError = (error: unknown): PlainError => {
  if (!(error instanceof Error)) {
    return { type: "Error", message: String(error), stack: undefined, code: undefined };
  }
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    code: typeof code === "string" || typeof code === "number" ? code : undefined,
  };
};
