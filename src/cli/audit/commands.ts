import { type Command, InvalidArgumentError } from "commander";
import { terminalFor } from "../options.ts";

const instant = (text: string): string => {
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const at = new Date(text);
  if (isTime && !Number.isNaN(at.getTime())) return at.toISOString();
  throw new InvalidArgumentError("Write it as 2026-01-31 or 2026-01-31T12:00:00Z.");
};

type VerifyFlags = {
  readonly asOf?: string;
  readonly knownAt?: string;
  readonly jwks?: string;
  readonly key?: string;
  readonly json?: boolean;
};

/** The commands for auditors: they need neither service nor network. */
export const addAuditCommands = (program: Command): void => {
  program
    .command("audit")
    .description("check what was exported for auditors")
    .command("verify")
    .description(
      "check an export of a plan's history without a service: names the line that was altered, removed, moved or put in.\n" +
        "Exit code: 0 whole, 1 not, 2 not understood, 3 the trusted keys cannot be had.",
    )
    .argument("<file>", "what GET /api/v1/plan/history/export gave, JSONL or CSV")
    .option("--as-of <time>", "say what the plan was then", instant)
    .option("--known-at <time>", "as far as it was written down by then", instant)
    .option("--jwks <file or address>", "the keys you trust: /api/v1/auth/jwks.json of the service")
    .option("--key <thumbprint>", "the one key you trust")
    .option("--json", "one JSON object a line")
    .action(async (file: string, flags: VerifyFlags) => {
      const { verifyExport } = await import("./verify.ts");
      process.exitCode = await verifyExport(
        file,
        {
          asOf: flags.asOf ?? null,
          knownAt: flags.knownAt ?? null,
          jwks: flags.jwks ?? null,
          key: flags.key ?? null,
        },
        terminalFor(flags.json ?? false),
      );
    });
};
