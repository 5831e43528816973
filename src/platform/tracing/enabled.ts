/** OpenTelemetry's own settings, as far as they say whether anybody wants traces. An empty one counts as not set. */
type Settings = Readonly<
  Partial<
    Record<
      | "OTEL_SDK_DISABLED"
      | "OTEL_TRACES_EXPORTER"
      | "OTEL_EXPORTER_OTLP_ENDPOINT"
      | "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
      string | null | undefined
    >
  >
>;

/** Whether traces are to be kept: where an endpoint or an exporter is named, unless `none` is, or the SDK is disabled. */
export const isTracingEnabled = (settings: Settings): boolean => {
  if (settings.OTEL_SDK_DISABLED?.toLowerCase() === "true") return false;
  if (settings.OTEL_TRACES_EXPORTER) return settings.OTEL_TRACES_EXPORTER !== "none";
  return Boolean(
    settings.OTEL_EXPORTER_OTLP_ENDPOINT || settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
  );
};
