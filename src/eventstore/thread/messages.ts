/** The options of the event store's thread. */
export type ThreadOptions = {
  readonly databaseUrl: string;
  readonly host?: string;
  readonly port?: number;
  readonly lockTimeoutMs?: number;
};

/** A message from the thread. The response to a stop is the end of the thread. */
export type ThreadMessage =
  | { readonly kind: "ready"; readonly url: string }
  | { readonly kind: "failed"; readonly error: PlainError }
  | {
      readonly kind: "log";
      readonly level: "info" | "warn";
      readonly fields: object;
      readonly text: string;
    };

/** An error as it is sent between threads: a structured clone of an Error would lose its `code`. */
export type PlainError = {
  readonly type: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: string | number | undefined;
};

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
