import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { problemsIn } from "./sourceRules.ts";

/** Holds every source file, committed or new, to the rules of sourceRules.ts. */
const files = execFileSync(
  "git",
  [
    "ls-files",
    "--cached",
    "--others",
    "--exclude-standard",
    "--",
    "src",
    "test",
    "scripts",
    "bench",
  ],
  { encoding: "utf8" },
)
  .split("\n")
  .filter((file) => file.endsWith(".ts") && !file.startsWith("test/fixtures/"));

const read = (file: string): string => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // Deleted and not yet committed.
  }
};

const lines = files.flatMap((file) =>
  problemsIn(file, read(file)).map(
    ({ line, rule, instead }) => `${file}:${line}  ${rule}: ${instead}`,
  ),
);
process.stdout.write(
  lines.length > 0 ? `${lines.join("\n")}\n` : `sources: ${files.length} files keep the rules\n`,
);
process.exit(lines.length > 0 ? 1 : 0);
