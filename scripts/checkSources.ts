import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { problemsIn } from "./sourceRules.ts";
import {
  functionProblems,
  lengthProblems,
  placeProblems,
  unmarkedFiles,
} from "./structureRules.ts";

/** Checks every source file, committed or new, against sourceRules.ts and structureRules.ts. */
const FOLDERS = ["src", "web", "test", "scripts", "bench"];
const files = execFileSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...FOLDERS],
  { encoding: "utf8" },
)
  .split("\n")
  .filter((file) => /\.tsx?$/.test(file) && !file.startsWith("test/fixtures/"))
  .filter((file) => existsSync(file))
  .map((file) => ({ file, text: readFileSync(file, "utf8") }));

const lines = [
  ...files.flatMap(({ file, text }) =>
    problemsIn(file, text).map(({ line, rule, instead }) => `${file}:${line}  ${rule}: ${instead}`),
  ),
  ...files.flatMap(({ file, text }) =>
    [...placeProblems(file), ...lengthProblems(file, text), ...functionProblems(file, text)].map(
      (problem) => `${file}  ${problem}`,
    ),
  ),
  ...unmarkedFiles(readFileSync(".gitattributes", "utf8")).map(
    (file) => `.gitattributes  ${file} is generated: mark it with linguist-generated=true`,
  ),
];
process.stdout.write(
  lines.length > 0 ? `${lines.join("\n")}\n` : `sources: ${files.length} files keep the rules\n`,
);
process.exit(lines.length > 0 ? 1 : 0);
