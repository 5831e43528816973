import type { Environment, EnvironmentCommand } from "../../domain/catalogue/environments.ts";
import { type ActiveProject, projectDecider } from "../../domain/catalogue/project.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EnvironmentSecrets } from "../../stores/catalogue/environmentSecrets.ts";
import type { CommandLoop } from "../kernel/commandLoop.ts";
import { type CommandContext, idFor } from "../kernel/context.ts";
import type { Receipt } from "../kernel/receipt.ts";
import { type Expected, organizationOf, type Written, write } from "./changes.ts";

/** An environment by its id and by the project whose stream it is in. */
type EnvironmentOf = { readonly environmentId: string; readonly projectId: string };

/** What a person says of an environment. */
export type EnvironmentDefinition = Pick<Environment, "name" | "baseUrl" | "variables">;

/** Writing the environments of projects, and their secrets. */
export const environmentCommands = (deps: {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly secrets: EnvironmentSecrets;
}) => {
  const { loop, clock, secrets } = deps;

  const commandOn = (
    context: CommandContext,
    projectId: string,
    command: EnvironmentCommand,
  ): Parameters<typeof projectDecider.decide>[0] => ({
    ...command,
    projectId,
    organizationId: organizationOf(context),
    expectedVersions: null,
  });

  const writeEnvironment = (
    context: CommandContext,
    projectId: string,
    command: EnvironmentCommand,
  ): Promise<Written<ActiveProject>> =>
    write(loop, projectDecider, projectId, commandOn(context, projectId, command), context);

  const written = (
    { state, ...rest }: Written<ActiveProject>,
    environmentId: string,
  ): Written<Environment> => {
    const environment = state.environments.get(environmentId);
    // Somebody else removed it since, and this request comes again.
    if (!environment) {
      throw new DomainError("environment.unknown", `There is no environment ${environmentId}.`);
    }
    return { ...rest, id: environmentId, state: environment };
  };

  /** Throws what deciding it would throw: before a state table is written that the log knows nothing of. */
  const mustBeAllowed = async (
    context: CommandContext,
    projectId: string,
    command: EnvironmentCommand,
  ): Promise<void> => {
    const { state } = await loop.load(projectDecider, projectId);
    projectDecider.decide(commandOn(context, projectId, command), state);
  };

  return {
    /** Throws `project.unknown`, `project.foreign`, `environment.nameTaken`, `environment.tooMany`. */
    defineEnvironment: async (
      context: CommandContext,
      projectId: string,
      definition: EnvironmentDefinition,
    ): Promise<Written<Environment>> => {
      const environmentId = idFor(context, "environment");
      const command = { type: "defineEnvironment", environmentId, ...definition } as const;
      return written(await writeEnvironment(context, projectId, command), environmentId);
    },

    changeEnvironment: async (
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
      return written(await writeEnvironment(context, projectId, command), environmentId);
    },

    /** Removes an environment, and its secrets for good. */
    removeEnvironment: async (
      context: CommandContext,
      { environmentId, projectId }: EnvironmentOf,
      expectedEnvironmentVersions: Expected,
    ): Promise<Receipt> => {
      const command = {
        type: "removeEnvironment",
        environmentId,
        expectedEnvironmentVersions,
      } as const;
      await mustBeAllowed(context, projectId, command);
      // The values first: what the log says to be gone must not be there any more.
      await secrets.removeEnvironment(environmentId);
      return (await writeEnvironment(context, projectId, command)).receipt;
    },

    /** Gives a secret its value, in place of the one before. The value goes into the sealed table alone. */
    setSecret: async (
      context: CommandContext,
      { environmentId, projectId }: EnvironmentOf,
      secret: string,
      value: string,
    ): Promise<Written<Environment>> => {
      const setId = idFor(context, "secret");
      const command = { type: "setSecret", environmentId, secret, setId } as const;
      await mustBeAllowed(context, projectId, command);
      const organizationId = organizationOf(context);
      const at = { environmentId, projectId, organizationId, name: secret };
      await secrets.set(at, value, clock().toISOString());
      return written(await writeEnvironment(context, projectId, command), environmentId);
    },

    removeSecret: async (
      context: CommandContext,
      { environmentId, projectId }: EnvironmentOf,
      secret: string,
    ): Promise<Receipt> => {
      const command = { type: "removeSecret", environmentId, secret } as const;
      await mustBeAllowed(context, projectId, command);
      await secrets.remove({ environmentId, name: secret });
      return (await writeEnvironment(context, projectId, command)).receipt;
    },
  };
};
