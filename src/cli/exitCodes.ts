/** What a command's exit code says. */
export const exitCodes = {
  passed: 0,
  failed: 1,
  /** The command or its input is wrong; nothing was run. */
  usage: 2,
  /** It could not be judged: no service, no browser, or one that went away. */
  unavailable: 3,
  /** The plan's quota of runs is used up; nothing was queued. */
  quota: 4,
  interrupted: 130,
} as const;

/** Ends a command with a message for the person and an exit code, without a stack. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.name = "CommandError";
    this.exitCode = exitCode;
  }
}
