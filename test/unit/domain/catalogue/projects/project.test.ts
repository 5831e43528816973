import { describe, expect, it } from "vitest";
import type { ProjectEvent } from "../../../../../src/domain/catalogue/projects/events.ts";
import { projectDecider } from "../../../../../src/domain/catalogue/projects/project.ts";
import { scenario } from "../../../../support/scenario.ts";

const projectId = "0190c4f0-0000-7000-8000-000000000001";
const organizationId = "0190c4f0-0000-7000-8000-00000000000a";
const elsewhere = "0190c4f0-0000-7000-8000-00000000000b";

const created: ProjectEvent = {
  type: "ProjectCreated",
  data: { projectId, organizationId, name: "Shop" },
};
const renamed: ProjectEvent = { type: "ProjectRenamed", data: { projectId, name: "Store" } };
const deleted: ProjectEvent = { type: "ProjectDeleted", data: { projectId } };

const create = { type: "create", projectId, organizationId, name: "Shop" } as const;
const on = { projectId, organizationId, expectedVersions: null };
const rename = { type: "rename", ...on, name: "Store" } as const;
const remove = { type: "delete", ...on } as const;
const project = scenario(projectDecider);

describe("a project", () => {
  it("is created once", () => {
    project.given([]).when(create).then([created]);
    project.given([created]).when(create).thenNothing();
  });

  it("is renamed once", () => {
    project.given([created]).when(rename).then([renamed]);
    project.given([created, renamed]).when(rename).thenNothing();
  });

  it("is deleted once", () => {
    project.given([created]).when(remove).then([deleted]);
    project.given([created, deleted]).when(remove).thenNothing();
  });

  it("is unknown before its creation and after its deletion", () => {
    project.given([]).when(rename).thenRefused("project.unknown");
    project.given([]).when(remove).thenRefused("project.unknown");
    project.given([created, deleted]).when(rename).thenRefused("project.unknown");
  });

  it("refuses another organisation", () => {
    for (const command of [rename, remove]) {
      const foreign = { ...command, organizationId: elsewhere };
      project.given([created]).when(foreign).thenRefused("project.foreign");
    }
  });

  it("refuses a change at another version than the expected one", () => {
    const atTwo = { ...rename, name: "Mall", expectedVersions: [2] };
    const refusal = project.given([created]).when(atTwo).thenRefused("project.stale");
    expect(refusal.message).toContain("version 1");
    project
      .given([created, renamed])
      .when(atTwo)
      .then([{ type: "ProjectRenamed", data: { projectId, name: "Mall" } }]);
  });
});
