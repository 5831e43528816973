import { assertNever, DomainError } from "../../kernel/errors.ts";
import { mustBeCurrent } from "../../kernel/versions.ts";
import type { EnvironmentEvent } from "./events.ts";

/**
 * Where the tests of a project run: a base URL, variables and the names of secrets. The log does not contain the
 * values of secrets. `version` counts the events of this environment only.
 */
export type Environment = {
  readonly name: string;
  readonly baseUrl: string | null;
  readonly variables: Readonly<Record<string, string>>;
  /** The `setId` of the last `SecretSet` event, by secret name. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly version: number;
};

/** The environments of a project and the ids of removed ones. */
export type Environments = {
  readonly environments: ReadonlyMap<string, Environment>;
  readonly removedEnvironments: ReadonlySet<string>;
};

export const noEnvironments: Environments = {
  environments: new Map(),
  removedEnvironments: new Set(),
};

const MAX_ENVIRONMENTS = 50;
const MAX_SECRETS = 100;

type Definition = Pick<Environment, "name" | "baseUrl" | "variables">;

export type EnvironmentCommand =
  | ({ readonly type: "defineEnvironment"; readonly environmentId: string } & Definition)
  | ({
      readonly type: "changeEnvironment";
      readonly environmentId: string;
      /** Null skips the version check. */
      readonly expectedEnvironmentVersions: readonly number[] | null;
    } & Definition)
  | {
      readonly type: "removeEnvironment";
      readonly environmentId: string;
      readonly expectedEnvironmentVersions: readonly number[] | null;
    }
  /** `setId` identifies the request: the value is not part of the command, so repeats cannot be told by it. */
  | {
      readonly type: "setSecret";
      readonly environmentId: string;
      readonly secret: string;
      readonly setId: string;
    }
  | {
      readonly type: "removeSecret";
      readonly environmentId: string;
      readonly secret: string;
    };

export const evolveEnvironments = (all: Environments, event: EnvironmentEvent): Environments => {
  const { environmentId } = event.data;
  const environment = all.environments.get(environmentId);
  const withEnvironment = (changes: Partial<Environment> & Definition): Environments => ({
    ...all,
    environments: new Map(all.environments).set(environmentId, {
      secrets: environment?.secrets ?? new Map(),
      ...changes,
      version: (environment?.version ?? 0) + 1,
    }),
  });
  switch (event.type) {
    case "EnvironmentDefined": {
      const { name, baseUrl, variables } = event.data;
      return withEnvironment({ name, baseUrl, variables });
    }
    case "EnvironmentRemoved": {
      const environments = new Map(all.environments);
      environments.delete(environmentId);
      const removedEnvironments = new Set(all.removedEnvironments).add(environmentId);
      return { environments, removedEnvironments };
    }
    case "SecretSet": {
      if (!environment) return all;
      const { secret, setId } = event.data;
      return withEnvironment({
        ...environment,
        secrets: new Map(environment.secrets).set(secret, setId),
      });
    }
    case "SecretRemoved": {
      if (!environment) return all;
      const secrets = new Map(environment.secrets);
      secrets.delete(event.data.secret);
      return withEnvironment({ ...environment, secrets });
    }
    default:
      return assertNever(event);
  }
};

/**
 * Names are unique in a project, ignoring case.
 * Throws `environment.unknown`, `.stale`, `.nameTaken`, `.tooMany`, `.tooManySecrets`.
 */
export const decideEnvironment = (
  command: EnvironmentCommand,
  projectId: string,
  all: Environments,
): readonly EnvironmentEvent[] => {
  const { environmentId } = command;
  switch (command.type) {
    case "defineEnvironment": {
      if (all.environments.has(environmentId) || all.removedEnvironments.has(environmentId)) {
        return [];
      }
      if (all.environments.size >= MAX_ENVIRONMENTS) {
        throw new DomainError(
          "environment.tooMany",
          `A project has at most ${MAX_ENVIRONMENTS} environments.`,
        );
      }
      return [defined(command, projectId, all)];
    }
    case "changeEnvironment": {
      const environment = find(all, command);
      return isSame(environment, command) ? [] : [defined(command, projectId, all)];
    }
    case "removeEnvironment": {
      if (all.removedEnvironments.has(environmentId)) return [];
      find(all, command);
      return [{ type: "EnvironmentRemoved", data: { projectId, environmentId } }];
    }
    case "setSecret": {
      const { secret, setId } = command;
      const { secrets } = find(all, { environmentId, expectedEnvironmentVersions: null });
      if (secrets.get(secret) === setId) return [];
      if (!secrets.has(secret) && secrets.size >= MAX_SECRETS) {
        throw new DomainError(
          "environment.tooManySecrets",
          `An environment has at most ${MAX_SECRETS} secrets.`,
        );
      }
      return [{ type: "SecretSet", data: { projectId, environmentId, secret, setId } }];
    }
    case "removeSecret": {
      const { secret } = command;
      const { secrets } = find(all, { environmentId, expectedEnvironmentVersions: null });
      if (!secrets.has(secret)) return [];
      return [{ type: "SecretRemoved", data: { projectId, environmentId, secret } }];
    }
    default:
      return assertNever(command);
  }
};

const defined = (
  { environmentId, name, baseUrl, variables }: Definition & { readonly environmentId: string },
  projectId: string,
  { environments }: Environments,
): EnvironmentEvent => {
  for (const [id, other] of environments) {
    if (id === environmentId || other.name.toLowerCase() !== name.toLowerCase()) continue;
    throw new DomainError(
      "environment.nameTaken",
      `The project already has an environment ${JSON.stringify(other.name)}.`,
    );
  }
  return {
    type: "EnvironmentDefined",
    data: { projectId, environmentId, name, baseUrl, variables: { ...variables } },
  };
};

const isSame = (one: Definition, other: Definition): boolean => {
  const names = Object.keys(one.variables);
  return (
    one.name === other.name &&
    one.baseUrl === other.baseUrl &&
    names.length === Object.keys(other.variables).length &&
    names.every((name) => one.variables[name] === other.variables[name])
  );
};

const find = (
  { environments }: Environments,
  of: {
    readonly environmentId: string;
    readonly expectedEnvironmentVersions: readonly number[] | null;
  },
): Environment => {
  const environment = environments.get(of.environmentId);
  if (!environment) {
    throw new DomainError(
      "environment.unknown",
      `There is no environment ${of.environmentId} in this project.`,
    );
  }
  const expected = of.expectedEnvironmentVersions;
  mustBeCurrent("environment.stale", "The environment", environment.version, expected);
  return environment;
};
