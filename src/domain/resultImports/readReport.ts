import { decodeReport } from "./decode.ts";
import { createJUnitReader } from "./junit.ts";
import { readPlaywrightReport } from "./playwright.ts";
import { type ExternalReport, unreadable } from "./report.ts";

/** So many characters of XML are read at a stretch. */
const STRETCH = 256 * 1024;

/**
 * Reads a report in JUnit XML or Playwright's JSON; the format is detected. Yields regularly so that the caller can let
 * other work proceed. Throws `results.unreadable` with a remedy and the line if it is known.
 */
export function* readReport(bytes: Uint8Array): Generator<undefined, ExternalReport> {
  const text = decodeReport(bytes);
  yield;
  const report = yield* readText(text);
  if (report.cases.length > 0) return report;
  throw unreadable(
    null,
    report.skipped > 0
      ? `none of its ${report.skipped} tests was run: all were skipped. Nothing is recorded.`
      : "there is no test in it. Send the report that your tests wrote.",
  );
}

function* readText(text: string): Generator<undefined, ExternalReport> {
  const first = text.trimStart().charAt(0);
  if (first === "{" || first === "[") return readPlaywrightReport(text);
  if (first !== "<") {
    throw unreadable(
      1,
      "it is neither XML nor JSON. Send JUnit XML, or the report of Playwright's reporter `json`.",
    );
  }
  const reader = createJUnitReader();
  for (let at = 0; at < text.length; at += STRETCH) {
    reader.write(text.slice(at, at + STRETCH));
    yield;
  }
  return reader.end();
}
