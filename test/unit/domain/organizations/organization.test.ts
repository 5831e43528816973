import { describe, expect, it } from "vitest";
import { fold } from "../../../../src/domain/kernel/decider.ts";
import {
  type OrganizationEvent,
  organizationDecider,
} from "../../../../src/domain/organizations/organization.ts";
import { scenario } from "../../../support/scenario.ts";

const organizationId = "019a0000-0000-7000-8000-000000000001";
const ownerId = "019a0000-0000-7000-8000-000000000002";
const created: OrganizationEvent = {
  type: "OrganizationCreated",
  data: { organizationId, name: "Acme", ownerId },
};
const create = { type: "create", organizationId, name: "Acme", ownerId } as const;

describe("an organisation", () => {
  it("given nothing, when it is created, then it is recorded with its owner as first member", () => {
    scenario(organizationDecider).given([]).when(create).then([created]);
    expect(fold(organizationDecider, [created])).toMatchObject({ members: { [ownerId]: "owner" } });
  });
  it("given it exists, when it is created again, then nothing is recorded", () => {
    scenario(organizationDecider)
      .given([created])
      .when({ ...create, name: "Other" })
      .thenNothing();
  });
});
