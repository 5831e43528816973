/** The exit codes of all commands. */
export const exitCodes = {
  passed: 0,
  failed: 1,
  /** The command or its input is wrong; nothing was run. */
  usage: 2,
  /** No verdict: the service or a browser is unavailable. */
  unavailable: 3,
  /** The plan's quota of runs is used up; nothing was queued. */
  quota: 4,
  interrupted: 130,
} as const;

/** Ends a command with a message and an exit code, without a stack trace. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.name = "CommandError";
    this.exitCode = exitCode;
  }
}
