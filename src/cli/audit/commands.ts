import { type Command, InvalidArgumentError } from "commander";
import { CommandError, exitCodes } from "../exitCodes.ts";
import { stopSignal, terminalFor } from "../options.ts";
import { onService, type ServiceFlags, serviceFor } from "../serviceFlags.ts";

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
  readonly against?: string;
  readonly json?: boolean;
};

/** Adds `runledger audit`: its verifications need neither a service nor a network. */
export const addAuditCommands = (program: Command): void => {
  const audit = program
    .command("audit")
    .description("verify exports and checkpoints for auditors, and keep checkpoints");
  addVerify(audit);
  addConsistency(audit);
  addWatch(audit);
};

const addVerify = (audit: Command): void => {
  audit
    .command("verify")
    .description(
      "verify an export of a plan's history without a service; names altered, removed, moved and inserted lines.\n" +
        "Exit codes: 0 whole, 1 not whole, 2 invalid input, 3 the trusted keys are unavailable.",
    )
    .argument("<file>", "the response of GET /api/v1/plan/history/export: JSONL, CSV or proofs")
    .option("--as-of <time>", "show the plan at this time (JSONL, CSV)", instant)
    .option("--known-at <time>", "use only the events recorded by this time (JSONL, CSV)", instant)
    .option("--jwks <file or address>", "trusted keys: /api/v1/auth/jwks.json of the service")
    .option(
      "--key <key>",
      "the only trusted key: a thumbprint; for proofs, a verifier key or a file",
    )
    .option(
      "--against <file>",
      "an older checkpoint or export with proofs that this one must extend",
    )
    .option("--json", "write one JSON object per line")
    .action(async (file: string, flags: VerifyFlags) => {
      const { asOf = null, knownAt = null, jwks = null, key = null, against = null } = flags;
      const terminal = terminalFor(flags.json ?? false);
      const { proofHeaderOf, verifyProofs } = await import("./verifyProofs.ts");
      const header = await proofHeaderOf(file);
      if (header) {
        process.exitCode = await verifyProofs(file, header, { key, against }, terminal);
        return;
      }
      if (against !== null) {
        throw new CommandError(
          `${file} has no proofs to compare. Export it with format=proofs.`,
          exitCodes.usage,
        );
      }
      const { verifyExport } = await import("./verify.ts");
      process.exitCode = await verifyExport(file, { asOf, knownAt, jwks, key }, terminal);
    });
};

const addConsistency = (audit: Command): void => {
  const command = audit
    .command("consistency")
    .description(
      "verify that a checkpoint of the log extends an older one. The proof is a file, or is asked from the service;\n" +
        "it is verified here and neither is trusted. Exit codes: 0 it does, 1 it does not, 2 invalid input, 3 no service.",
    )
    .argument("<old>", "a checkpoint, or an export with proofs")
    .argument("<new>", "a newer one")
    .requiredOption("--key <key>", "the verifier key of the service, or a file with it")
    .option("--proof <file>", "the response of GET /api/v1/audit/log/checkpoint?from=OLD&to=NEW");
  onService(command).action(async (older: string, newer: string, flags: ConsistencyFlags) => {
    const { verifyConsistency } = await import("./consistency.ts");
    process.exitCode = await verifyConsistency(
      { older, newer, key: flags.key, proof: flags.proof ?? null },
      () => serviceFor(flags),
      terminalFor(flags.json ?? false),
    );
  });
};

type ConsistencyFlags = ServiceFlags & { readonly key: string; readonly proof?: string };

const addWatch = (audit: Command): void => {
  const command = audit
    .command("watch")
    .description(
      "follow the log of a service: verify that each checkpoint extends the one before, and keep it in a folder.\n" +
        "Exit codes: 0 stopped, 1 a checkpoint does not extend an older one, 2 invalid input, 3 no service.",
    )
    .requiredOption(
      "--dir <folder>",
      "the folder of the checkpoints; its last one is compared first",
    )
    .option(
      "--key <key>",
      "the verifier key of the service, or a file with it; else the first one is kept",
    )
    .option("--every <seconds>", "the interval", wholeSeconds, 60)
    .option("--once", "compare once and stop");
  onService(command).action(async (flags: WatchFlags) => {
    const { watchLog } = await import("./watch.ts");
    const { dir, key = null, every, once = false } = flags;
    process.exitCode = await watchLog(
      { dir, key, everyMs: every * 1_000, once },
      await serviceFor(flags),
      terminalFor(flags.json ?? false),
      stopSignal(),
    );
  });
};

type WatchFlags = ServiceFlags & {
  readonly dir: string;
  readonly key?: string;
  readonly every: number;
  readonly once?: boolean;
};

const wholeSeconds = (text: string): number => {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Write a number of seconds from 1 on.");
};
