import { evidenceFolder } from "../../domain/runs/executions/evidence.ts";
import type { ProgressEvent } from "../../domain/runs/executions/progress.ts";
import type { ExecutorReport, ReportSink } from "../executor/report.ts";
import { diffKeyOf, progressOf, type ReportedBy, type ShotKey } from "./progressEvents.ts";
import { type RunningDelivery, submitProgress } from "./runningDelivery.ts";

export type BrowserFinished = Extract<ExecutorReport, { type: "browserFinished" }>;

type Report<Type extends ExecutorReport["type"]> = Extract<ExecutorReport, { type: Type }>;

const EXTENSION = { jpeg: "jpg", png: "png" } as const;

/**
 * Records the reports of one browser. An event that refers to a file is submitted once the file is stored.
 * Ignores reports after the delivery was stopped.
 */
export const reportSink = (
  delivery: RunningDelivery,
  by: ReportedBy,
  onFinished: (report: BrowserFinished) => void,
): ReportSink => {
  const { executionId, planned, steps, uploads, stopping } = delivery;
  const folder = `${evidenceFolder(planned.runId, executionId)}/${by.delivery}/${by.attempt}/${by.browser}`;
  const shotKey: ShotKey = ({ number, format }) => `${folder}/${number}.${EXTENSION[format]}`;
  const evidenceKey = (name: string): string => `${folder}/${name}`;
  const { testId } = planned;
  const stepTestOf = (number: number) => steps[number - 1]?.ofTest ?? testId;

  return (report) => {
    if (stopping.aborted) return;
    const event = progressOf(report, by, { testId, stepTestOf }, shotKey, evidenceKey);
    const submit = (one: ProgressEvent): void => {
      if (!stopping.aborted) submitProgress(delivery, one, report.at);
    };
    if (event.type === "ScreenshotTaken" && report.type === "screenshotTaken") {
      const { key, format } = event.data;
      const { number, name, bytes } = report;
      uploads.upload(
        { key, contentType: `image/${format}`, bytes },
        () => submit(event),
        (reason) => submit({ type: "ScreenshotLost", data: { ...by, number, name, reason } }),
      );
      return;
    }
    if (event.type === "EvidenceKept" && report.type === "evidenceTaken" && report.bytes) {
      const { name, contentType, bytes } = report;
      const absent = { ...event.data, bytes: 0, key: null };
      uploads.upload(
        { key: evidenceKey(name), contentType, bytes },
        () => submit(event),
        (reason) => submit({ type: "EvidenceKept", data: { ...absent, absent: reason } }),
      );
      return;
    }
    if (report.type === "visualCompared") {
      const key = shotKey({ number: report.number, format: "png" });
      uploadDiff(delivery, report, diffKeyOf(key));
      uploads.afterUploads([key, diffKeyOf(key)], () => submit(event));
      return;
    }
    submit(event);
    if (report.type === "browserFinished") onFinished(report);
  };
};

const uploadDiff = (
  { uploads }: RunningDelivery,
  { diff }: Report<"visualCompared">,
  key: string,
): void => {
  if (!diff) return;
  const ignore = () => {};
  uploads.upload({ key, contentType: "image/png", bytes: diff }, ignore, ignore);
};
