import { addTestCommands } from "./catalogue/commands.ts";
import { addCompletionCommand } from "./completion/commands.ts";
import { CommandError, exitCodes } from "./exitCodes.ts";
import { createProgram, runProgram } from "./program.ts";
import { addOpenCommand } from "./reports/commands.ts";
import { addResultCommands } from "./resultImports/commands.ts";
import { addCloudRunCommand } from "./runs/cloudRunCommand.ts";

/** The program of the package for CI: the commands that need neither a browser nor a part of the service. */
const program = createProgram();

addTestCommands(program);
addCloudRunCommand(program);
addResultCommands(program);
addOpenCommand(program);
addCompletionCommand(program);

/** Commands of the whole package. */
const OTHERS = [
  ...["run", "doctor", "agent", "mcp", "demo", "server", "eventstore", "projections", "find"],
  ...["backup", "restore", "migrate", "audit"],
];

for (const name of OTHERS) {
  program
    .command(name, { hidden: true })
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw new CommandError(
        `\`runledger ${name}\` is not part of this package for CI. Install the whole product: npm install --save-dev runledger`,
        exitCodes.usage,
      );
    });
}

await runProgram(program);
