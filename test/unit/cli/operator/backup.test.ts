import { expect, it } from "vitest";
import { CommandError, exitCodes } from "../../../../src/cli/exitCodes.ts";
import { asCommandError } from "../../../../src/cli/operator/backup.ts";
import { PartUnavailableError } from "../../../../src/platform/partHealth.ts";

it("reports a full blob store during a restore without the system error", () => {
  const cause = Object.assign(new Error("ENOSPC: no space left on device, write"), {
    code: "ENOSPC",
  });
  const told = asCommandError(new PartUnavailableError("blob_store", "is full", cause));
  expect(told).toBeInstanceOf(CommandError);
  expect(told).toMatchObject({
    message: "The store of screenshots is full.",
    exitCode: exitCodes.unavailable,
  });
});
