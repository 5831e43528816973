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

/** Adds `runledger audit verify`, which needs neither a service nor a network. */
export const addAuditCommands = (program: Command): void => {
  program
    .command("audit")
    .description("verify exports for auditors")
    .command("verify")
    .description(
      "verify an export of a plan's history without a service; names altered, removed, moved and inserted lines.\n" +
        "Exit codes: 0 whole, 1 not whole, 2 invalid input, 3 the trusted keys are unavailable.",
    )
    .argument("<file>", "the response of GET /api/v1/plan/history/export, JSONL or CSV")
    .option("--as-of <time>", "show the plan at this time", instant)
    .option("--known-at <time>", "use only the events recorded by this time", instant)
    .option("--jwks <file or address>", "trusted keys: /api/v1/auth/jwks.json of the service")
    .option("--key <thumbprint>", "thumbprint of the only trusted key")
    .option("--json", "write one JSON object per line")
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
