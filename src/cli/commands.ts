import type { Command } from "commander";
import { addAgentCommand } from "./agents/commands.ts";
import { addAuditCommands } from "./audit/commands.ts";
import { addTestCommands } from "./catalogue/commands.ts";
import { addCompletionCommand } from "./completion/commands.ts";
import { addDoctorCommand } from "./doctor/commands.ts";
import { addToolServerCommand } from "./mcp/commands.ts";
import { addBackupCommands } from "./operator/backupCommands.ts";
import { addLogCommands } from "./operator/logCommands.ts";
import { addServerCommands } from "./operator/serverCommands.ts";
import { createProgram } from "./program.ts";
import { addOpenCommand } from "./reports/commands.ts";
import { addResultCommands } from "./resultImports/commands.ts";
import { addCloudRunCommand } from "./runs/cloudRunCommand.ts";
import { addRunCommand } from "./runs/commands.ts";

/** The program `runledger` with all its commands. */
export const createCli = (): Command => {
  const program = createProgram();
  addRunCommand(program);
  addDoctorCommand(program);
  addTestCommands(program);
  addCloudRunCommand(program);
  addResultCommands(program);
  addOpenCommand(program);
  addAgentCommand(program);
  addToolServerCommand(program);
  addCompletionCommand(program);
  addAuditCommands(program);
  addBackupCommands(program);
  addServerCommands(program);
  addLogCommands(program);
  return program;
};
