import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ProjectEvent } from "../../../../../src/domain/catalogue/projects/events.ts";
import { above, below } from "../../../../../src/domain/catalogue/projects/folders.ts";
import {
  type Project,
  type ProjectCommand,
  projectDecider,
} from "../../../../../src/domain/catalogue/projects/project.ts";
import { DomainError } from "../../../../../src/domain/kernel/errors.ts";
import { scenario } from "../../../../support/scenario.ts";

const uuid = (n: number): string => `019a0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const [projectId, organizationId, a, b, c] = [uuid(1), uuid(2), uuid(3), uuid(4), uuid(5)];
const on = { projectId, organizationId, expectedVersions: null, expectedFolderVersions: null };
const created: ProjectEvent = {
  type: "ProjectCreated",
  data: { projectId, organizationId, name: "Shop" },
};
const folder = (folderId: string, name: string, parentId: string | null): ProjectEvent => ({
  type: "FolderCreated",
  data: { projectId, folderId, name, parentId },
});
const tree = [created, folder(a, "A", null), folder(b, "B", a), folder(c, "C", b)];
const project = scenario(projectDecider);

describe("folders", () => {
  it("records a new folder once and refuses a duplicate name beside it", () => {
    const make = { type: "createFolder", folderId: a, name: "A", parentId: null, ...on } as const;
    project
      .given([created])
      .when(make)
      .then([folder(a, "A", null)]);
    project.given(tree).when(make).thenNothing();
    project
      .given(tree)
      .when({ ...make, folderId: uuid(9) })
      .thenRefused("folder.nameTaken");
    project
      .given(tree)
      .when({ ...make, folderId: uuid(9), parentId: uuid(8) })
      .thenRefused("folder.unknownParent");
    project
      .given(tree)
      .when({ ...make, organizationId: uuid(7) })
      .thenRefused("project.foreign");
  });

  it("refuses to move a folder into itself or its descendants", () => {
    const move = (folderId: string, parentId: string | null): ProjectCommand => ({
      type: "moveFolder",
      folderId,
      parentId,
      ...on,
    });
    project.given(tree).when(move(a, a)).thenRefused("folder.cycle");
    project.given(tree).when(move(a, c)).thenRefused("folder.cycle");
    const moved: ProjectEvent = {
      type: "FolderMoved",
      data: { projectId, folderId: c, parentId: null },
    };
    project.given(tree).when(move(c, null)).then([moved]);
    project
      .given([...tree, moved])
      .when(move(c, null))
      .thenNothing();
  });

  it("deletes subfolders first, once", () => {
    const gone = [c, b, a].map(
      (folderId): ProjectEvent => ({ type: "FolderDeleted", data: { projectId, folderId } }),
    );
    const remove = { type: "deleteFolder", folderId: a, ...on } as const;
    project.given(tree).when(remove).then(gone);
    project
      .given([...tree, ...gone])
      .when(remove)
      .thenNothing();
    project.given([created]).when(remove).thenRefused("folder.unknown");
  });

  it("refuses a change that is based on an older version", () => {
    const renamed: ProjectEvent = {
      type: "FolderRenamed",
      data: { projectId, folderId: b, name: "Bee" },
    };
    const rename = { type: "renameFolder", folderId: b, name: "Beta", ...on } as const;
    const history = [...tree, renamed];
    project
      .given(history)
      .when({ ...rename, expectedFolderVersions: [1] })
      .thenRefused("folder.stale");
    project
      .given(history)
      .when({ ...rename, expectedFolderVersions: [2] })
      .then([{ type: "FolderRenamed", data: { projectId, folderId: b, name: "Beta" } }]);
  });

  it("keep a tree without cycles or missing parents under any commands", () => {
    const id = fc.integer({ min: 10, max: 18 }).map(uuid);
    const parent = fc.option(id, { nil: null });
    const name = fc.constantFrom("x", "y", "z");
    const command: fc.Arbitrary<ProjectCommand> = fc.oneof(
      fc.tuple(id, name, parent).map(([folderId, n, parentId]) => ({
        type: "createFolder" as const,
        folderId,
        name: n,
        parentId,
        ...on,
      })),
      fc.tuple(id, parent).map(([folderId, parentId]) => ({
        type: "moveFolder" as const,
        folderId,
        parentId,
        ...on,
      })),
      id.map((folderId) => ({ type: "deleteFolder" as const, folderId, ...on })),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        let state: Project = projectDecider.evolve(projectDecider.initial, created);
        for (const one of commands) {
          try {
            state = projectDecider.decide(one, state).reduce(projectDecider.evolve, state);
            expect(projectDecider.decide(one, state)).toEqual([]);
          } catch (error) {
            if (!(error instanceof DomainError)) throw error;
          }
          if (state.status !== "active") continue;
          for (const [folderId, { parentId }] of state.folders) {
            expect(parentId === null || state.folders.has(parentId)).toBe(true);
            expect(above(state, folderId)).not.toContain(folderId);
            expect(below(state, folderId)).not.toContain(folderId);
          }
        }
      }),
    );
  });
});
