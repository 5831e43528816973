import { type AgentReport, MAX_PICTURE_BYTES, pictureBytes } from "../../domain/agents/protocol.ts";
import type { NewReport } from "../executor/report.ts";

/** Checks a report about a step. Returns the reason of the refusal, or null. */
export const refusalOf = (
  message: Extract<AgentReport, { number: number }>,
  stepCount: number,
): string | null => {
  if (message.number > stepCount) return `The test has ${stepCount} steps.`;
  if (message.type !== "screenshot" && message.type !== "visual") return null;
  if (message.base64 === undefined) return null;
  if (message.type === "screenshot" && message.lost !== undefined) return null;
  const bytes = pictureBytes(message.base64);
  if (bytes === null) return "The picture is not valid base64.";
  if (bytes > MAX_PICTURE_BYTES) return `A picture takes ${MAX_PICTURE_BYTES} bytes at most.`;
  const format = message.type === "visual" ? "png" : message.format;
  const isOfFormat = message.base64.startsWith(BEGINNINGS[format]);
  return isOfFormat ? null : `The picture is not a ${format} file.`;
};

/** First bytes of a picture in base64: 89 50 4e 47 0d 0a and ff d8 ff. */
const BEGINNINGS = { png: "iVBORw0K", jpeg: "/9j/" } as const;

/** Converts a step report. The end of a step implies its start. */
export const stepReports = (
  step: Extract<AgentReport, { type: "step" }>,
): readonly Extract<NewReport, { type: `step${string}` }>[] => {
  const { number, duration_ms: durationMs = 0, error, locator = null } = step;
  const evidence = step.evidence ? { evidence: step.evidence } : {};
  const started = { type: "stepStarted", number } as const;
  switch (step.status) {
    case "running":
      return [started];
    case "passed":
      return [
        started,
        {
          ...{ type: "stepPassed", number, durationMs, locator },
          ...(step.notes && { notes: step.notes }),
          ...evidence,
        },
      ];
    case "failed": {
      const failed = { number, durationMs, locator, error: error ?? "The step failed." };
      const passedOver = step.passed_over ?? false;
      const page = step.page ? { page: step.page } : {};
      return [started, { type: "stepFailed", ...failed, passedOver, ...evidence, ...page }];
    }
    case "skipped": {
      const gap = step.gap ? ({ gap: true } as const) : {};
      return [{ type: "stepSkipped", number, reason: error ?? "It was skipped.", ...gap }];
    }
  }
};
