import { createCli } from "./commands.ts";
import { runProgram } from "./program.ts";

await runProgram(createCli());
