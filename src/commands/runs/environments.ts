import { DomainError } from "../../domain/kernel/errors.ts";
import type { PinnedEnvironment } from "../../domain/runs/pinned.ts";
import type { PinnedTest } from "./pinnedTests.ts";

/** The current state of an environment. */
type FoundEnvironment = {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly name: string;
  readonly base_url: string | null;
  readonly variables: Readonly<Record<string, string>>;
};

export type EnvironmentDeps = {
  readonly environments: {
    findEnvironment(id: string): Promise<FoundEnvironment | null>;
    environmentsCalled(
      projectIds: readonly string[],
      name: string,
    ): Promise<readonly FoundEnvironment[]>;
  };
};

type Environments = {
  readonly all: PinnedEnvironment[];
  of(test: PinnedTest): PinnedEnvironment | null;
};

/** The environment of each test. Throws `run.unknownEnvironment`, `.foreignEnvironment`. */
export const environmentsOf = async (
  { environments }: EnvironmentDeps,
  organizationId: string,
  tests: readonly PinnedTest[],
  asked: string | null,
): Promise<Environments> => {
  if (asked === null) return { all: [], of: () => null };
  if (ID.test(asked)) {
    const found = await environments.findEnvironment(asked.toLowerCase());
    if (!found) throw unknownEnvironment(`there is no environment ${asked}.`);
    if (found.organization_id !== organizationId) {
      throw new DomainError(
        "run.foreignEnvironment",
        "The environment belongs to another organisation.",
      );
    }
    const one = pinnedOf(found);
    return { all: [one], of: () => one };
  }
  const homeless = tests.find(({ projectId }) => !projectId);
  if (homeless) {
    throw unknownEnvironment(
      `the test ${JSON.stringify(homeless.name)} is in no project, and so in no environment.`,
    );
  }
  const projectIds = [...new Set(tests.flatMap(({ projectId }) => projectId ?? []))];
  const found = await environments.environmentsCalled(projectIds, asked);
  const byProject = new Map(
    found
      .filter(({ organization_id }) => organization_id === organizationId)
      .map((one) => [one.project_id, pinnedOf(one)]),
  );
  const without = tests.find(({ projectId }) => !byProject.has(projectId ?? ""));
  if (without) {
    throw unknownEnvironment(
      `the project of the test ${JSON.stringify(without.name)} has no environment ${JSON.stringify(asked)}.`,
    );
  }
  return {
    all: [...byProject.values()],
    of: ({ projectId }) => byProject.get(projectId ?? "") ?? null,
  };
};

const pinnedOf = (found: FoundEnvironment): PinnedEnvironment => ({
  environmentId: found.id,
  name: found.name,
  baseUrl: found.base_url,
  variables: { ...found.variables },
});

const ID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

const unknownEnvironment = (why: string): DomainError =>
  new DomainError("run.unknownEnvironment", `environment: ${why}`);
