/** The settings of OpenTelemetry that enable traces. An empty value counts as not set. */
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

/** Traces are enabled if an endpoint or an exporter other than `none` is set and the SDK is not disabled. */
export const isTracingEnabled = (settings: Settings): boolean => {
  if (settings.OTEL_SDK_DISABLED?.toLowerCase() === "true") return false;
  if (settings.OTEL_TRACES_EXPORTER) return settings.OTEL_TRACES_EXPORTER !== "none";
  return Boolean(
    settings.OTEL_EXPORTER_OTLP_ENDPOINT || settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
  );
};
