import type {
  Environment,
  EnvironmentCommand,
} from "../../domain/catalogue/projects/environments.ts";
import { type ActiveProject, projectDecider } from "../../domain/catalogue/projects/project.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EnvironmentSecrets } from "../../stores/catalogue/environmentSecrets.ts";
import type { CommandLoop } from "../kernel/commandLoop.ts";
import { type CommandContext, idFor } from "../kernel/context.ts";
import type { Receipt } from "../kernel/receipt.ts";
import { type Expected, organizationOf, type Written, write } from "./changes.ts";

/** An environment and the project whose stream contains it. */
type EnvironmentOf = { readonly environmentId: string; readonly projectId: string };

export type EnvironmentDefinition = Pick<Environment, "name" | "baseUrl" | "variables">;

type EnvironmentDeps = {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly secrets: EnvironmentSecrets;
};

/** Throws `project.unknown`, `project.foreign`, `environment.nameTaken`, `environment.tooMany`. */
const defineEnvironment = async (
  deps: EnvironmentDeps,
  context: CommandContext,
  projectId: string,
  definition: EnvironmentDefinition,
): Promise<Written<Environment>> => {
  const environmentId = idFor(context, "environment");
  const command = { type: "defineEnvironment", environmentId, ...definition } as const;
  return environmentIn(await writeEnvironment(deps, context, projectId, command), environmentId);
};

const changeEnvironment = async (
  deps: EnvironmentDeps,
  context: CommandContext,
  { environmentId, projectId }: EnvironmentOf,
  definition: EnvironmentDefinition,
  expectedEnvironmentVersions: Expected,
): Promise<Written<Environment>> => {
  const command = {
    type: "changeEnvironment",
    environmentId,
    ...definition,
    expectedEnvironmentVersions,
  } as const;
  return environmentIn(await writeEnvironment(deps, context, projectId, command), environmentId);
};

/** Removes an environment and erases its secrets. */
const removeEnvironment = async (
  deps: EnvironmentDeps,
  context: CommandContext,
  { environmentId, projectId }: EnvironmentOf,
  expectedEnvironmentVersions: Expected,
): Promise<Receipt> => {
  const command = {
    type: "removeEnvironment",
    environmentId,
    expectedEnvironmentVersions,
  } as const;
  await mustBeAllowed(deps, context, projectId, command);
  // Values before the event: once the log contains the removal, no value may be left.
  await deps.secrets.removeEnvironment(environmentId);
  return (await writeEnvironment(deps, context, projectId, command)).receipt;
};

/** Stores or replaces a secret's value, which is kept encrypted outside the log. */
const setSecret = async (
  deps: EnvironmentDeps,
  context: CommandContext,
  { environmentId, projectId }: EnvironmentOf,
  secret: string,
  value: string,
): Promise<Written<Environment>> => {
  const setId = idFor(context, "secret");
  const command = { type: "setSecret", environmentId, secret, setId } as const;
  await mustBeAllowed(deps, context, projectId, command);
  const organizationId = organizationOf(context);
  const key = { environmentId, projectId, organizationId, name: secret };
  await deps.secrets.set(key, value, deps.clock().toISOString());
  return environmentIn(await writeEnvironment(deps, context, projectId, command), environmentId);
};

const removeSecret = async (
  deps: EnvironmentDeps,
  context: CommandContext,
  { environmentId, projectId }: EnvironmentOf,
  secret: string,
): Promise<Receipt> => {
  const command = { type: "removeSecret", environmentId, secret } as const;
  await mustBeAllowed(deps, context, projectId, command);
  await deps.secrets.remove({ environmentId, name: secret });
  return (await writeEnvironment(deps, context, projectId, command)).receipt;
};

const writeEnvironment = (
  { loop }: EnvironmentDeps,
  context: CommandContext,
  projectId: string,
  command: EnvironmentCommand,
): Promise<Written<ActiveProject>> =>
  write(loop, projectDecider, projectId, onProject(context, projectId, command), context);

/** Decides the command without writing, so that a refused command does not change the secrets' table. */
const mustBeAllowed = async (
  { loop }: EnvironmentDeps,
  context: CommandContext,
  projectId: string,
  command: EnvironmentCommand,
): Promise<void> => {
  const { state } = await loop.load(projectDecider, projectId);
  projectDecider.decide(onProject(context, projectId, command), state);
};

const onProject = (
  context: CommandContext,
  projectId: string,
  command: EnvironmentCommand,
): Parameters<typeof projectDecider.decide>[0] => ({
  ...command,
  projectId,
  organizationId: organizationOf(context),
  expectedVersions: null,
});

/** Throws `environment.unknown` if the command was a repeat and the environment has been removed since. */
const environmentIn = (
  { state, ...rest }: Written<ActiveProject>,
  environmentId: string,
): Written<Environment> => {
  const environment = state.environments.get(environmentId);
  if (!environment) {
    throw new DomainError("environment.unknown", `There is no environment ${environmentId}.`);
  }
  return { ...rest, id: environmentId, state: environment };
};

export const environmentCommands = (deps: EnvironmentDeps) => ({
  defineEnvironment: defineEnvironment.bind(null, deps),
  changeEnvironment: changeEnvironment.bind(null, deps),
  removeEnvironment: removeEnvironment.bind(null, deps),
  setSecret: setSecret.bind(null, deps),
  removeSecret: removeSecret.bind(null, deps),
});
