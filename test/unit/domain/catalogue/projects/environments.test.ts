import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ProjectEvent } from "../../../../../src/domain/catalogue/projects/events.ts";
import { fileNameProblem } from "../../../../../src/domain/catalogue/projects/files.ts";
import { projectDecider } from "../../../../../src/domain/catalogue/projects/project.ts";
import { secretsIn } from "../../../../../src/domain/catalogue/secrets.ts";
import { scenario } from "../../../../support/scenario.ts";

const id = (n: number) => `0190c4f0-0000-7000-8000-${String(n).padStart(12, "0")}`;
const projectId = id(1);
const organizationId = id(2);
const environmentId = id(3);
const on = { projectId, organizationId, expectedVersions: null };
const created: ProjectEvent = {
  type: "ProjectCreated",
  data: { projectId, organizationId, name: "Shop" },
};
const said = {
  name: "staging",
  baseUrl: "https://staging.shop.example",
  variables: { user: "ada" },
};
const defined: ProjectEvent = {
  type: "EnvironmentDefined",
  data: { projectId, environmentId, ...said },
};
const removed: ProjectEvent = { type: "EnvironmentRemoved", data: { projectId, environmentId } };
const secretSet: ProjectEvent = {
  type: "SecretSet",
  data: { projectId, environmentId, secret: "password", setId: id(4) },
};
const define = { type: "defineEnvironment", ...on, environmentId, ...said } as const;
const change = {
  type: "changeEnvironment",
  ...on,
  environmentId,
  expectedEnvironmentVersions: null,
} as const;
const remove = {
  type: "removeEnvironment",
  ...on,
  environmentId,
  expectedEnvironmentVersions: null,
} as const;
const setSecret = {
  type: "setSecret",
  ...on,
  environmentId,
  secret: "password",
  setId: id(4),
} as const;
const removeSecret = { type: "removeSecret", ...on, environmentId, secret: "password" } as const;
const project = scenario(projectDecider);

describe("an environment of a project", () => {
  it("is created once, and not again after its removal", () => {
    project.given([created]).when(define).then([defined]);
    project.given([created, defined]).when(define).thenNothing();
    project.given([created, defined, removed]).when(define).thenNothing();
  });

  it("records a change once", () => {
    const name = { ...said, name: "Staging" };
    project
      .given([created, defined])
      .when({ ...change, ...name })
      .then([{ type: "EnvironmentDefined", data: { projectId, environmentId, ...name } }]);
    project
      .given([created, defined])
      .when({ ...change, ...said })
      .thenNothing();
  });

  it("has a name that is unique in the project, ignoring case", () => {
    project
      .given([created, defined])
      .when({ ...define, environmentId: id(9), name: "STAGING" })
      .thenRefused("environment.nameTaken");
  });

  it("is changed only at the expected version, which other environments do not affect", () => {
    const stale = { ...change, ...said, name: "other", expectedEnvironmentVersions: [1] };
    project.given([created, defined, secretSet]).when(stale).thenRefused("environment.stale");
    const other: ProjectEvent = {
      type: "EnvironmentDefined",
      data: { ...defined.data, environmentId: id(9), name: "production" } as never,
    };
    const { events } = { events: projectDecider.decide(stale, fold([created, defined, other])) };
    expect(events).toHaveLength(1);
  });

  it("is removed once and then unknown", () => {
    project.given([created, defined]).when(remove).then([removed]);
    project.given([created, defined, removed]).when(remove).thenNothing();
    project.given([created, defined, removed]).when(setSecret).thenRefused("environment.unknown");
    project
      .given([created])
      .when({ ...change, ...said })
      .thenRefused("environment.unknown");
  });

  it("sets, replaces and removes secrets by name", () => {
    project.given([created, defined]).when(setSecret).then([secretSet]);
    project.given([created, defined, secretSet]).when(setSecret).thenNothing();
    project
      .given([created, defined, secretSet])
      .when({ ...setSecret, setId: id(5) })
      .then([{ type: "SecretSet", data: { ...secretSet.data, setId: id(5) } as never }]);
    const gone: ProjectEvent = {
      type: "SecretRemoved",
      data: { projectId, environmentId, secret: "password" },
    };
    project.given([created, defined, secretSet]).when(removeSecret).then([gone]);
    project.given([created, defined, secretSet, gone]).when(removeSecret).thenNothing();
  });

  it("is refused to an organisation other than the project's", () => {
    project
      .given([created, defined])
      .when({ ...setSecret, organizationId: id(8) })
      .thenRefused("project.foreign");
  });
});

const fold = (events: readonly ProjectEvent[]) =>
  events.reduce(projectDecider.evolve, projectDecider.initial);

const file = {
  fileId: id(6),
  name: "prices.csv",
  size: 3,
  contentType: "text/csv",
  sha256: "00",
};
const added: ProjectEvent = { type: "FileAdded", data: { projectId, ...file } };
const taken: ProjectEvent = {
  type: "FileRemoved",
  data: { projectId, fileId: id(6), name: "prices.csv" },
};

describe("a file of a project", () => {
  it("is added, replaced under the same name and removed once", () => {
    const add = { type: "addFile", ...on, ...file } as const;
    project.given([created]).when(add).then([added]);
    project.given([created, added]).when(add).thenNothing();
    const anew = { ...file, fileId: id(7), size: 4 };
    project
      .given([created, added])
      .when({ ...add, ...anew })
      .then([{ type: "FileAdded", data: { projectId, ...anew } }]);
    const drop = { type: "removeFile", ...on, name: "prices.csv" } as const;
    project.given([created, added]).when(drop).then([taken]);
    project.given([created, added, taken]).when(drop).thenNothing();
  });

  it("has a name without a path", () => {
    for (const name of ["a.pdf", "Rechnung März.pdf", "..a", "日本.txt"]) {
      expect(fileNameProblem(name), name).toBeNull();
    }
    for (const name of ["", ".", "..", "a/b", "a\\b", "a\nb", " a", "a ", "x".repeat(256)]) {
      expect(fileNameProblem(name), name).not.toBeNull();
    }
  });
});

describe("secret references in steps", () => {
  it("are found by their prefix in every field", () => {
    expect(secretsIn("${secret.a} and ${user} ${secret.b}${secret.a}")).toEqual(["a", "b"]);
    expect(secretsIn("${secrets.a} $secret.a {secret.a}")).toEqual([]);
  });

  it("are found in any text around them", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        expect(secretsIn(`${before}\${secret.token}${after}`)).toContain("token");
      }),
    );
  });
});
