import { infiniteQueryOptions } from "@tanstack/react-query";
import type { Answer } from "../../../src/client/client.ts";
import { ask, client } from "./client.ts";
import { queryClient } from "./queryClient.ts";

export type Member = Answer<"listMembers", 200>["items"][number];
export type Invite = Answer<"listInvites", 200>["items"][number];
/** A role that can be given. Ownership is transferred instead. */
export type GivenRole = Invite["role"];

export const givenRoles = [
  { value: "viewer", label: "Viewer", may: "reads tests and results" },
  { value: "billing", label: "Billing", may: "reads usage and changes the plan" },
  { value: "editor", label: "Editor", may: "writes and runs tests" },
  { value: "admin", label: "Administrator", may: "manages members, keys, schedules and settings" },
] as const satisfies readonly { value: GivenRole; label: string; may: string }[];

export const roleLabel = (role: string): string =>
  givenRoles.find(({ value }) => value === role)?.label ?? "Owner";

const PAGE_SIZE = 100;

export const membersQuery = (organizationId: string) =>
  infiniteQueryOptions({
    queryKey: ["members", organizationId],
    queryFn: ({ signal, pageParam }) => {
      const query = { limit: PAGE_SIZE, ...(pageParam !== null && { cursor: pageParam }) };
      const params = { path: { id: organizationId }, query };
      return ask(client.GET("/api/v1/organizations/{id}/members", { params, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });

export const invitesQuery = () =>
  infiniteQueryOptions({
    queryKey: ["invites"],
    queryFn: ({ signal, pageParam }) => {
      const query = { limit: PAGE_SIZE, ...(pageParam !== null && { cursor: pageParam }) };
      return ask(client.GET("/api/v1/invites", { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });

const forgetMembers = () => queryClient.invalidateQueries({ queryKey: ["members"] });
const forgetInvites = () => queryClient.invalidateQueries({ queryKey: ["invites"] });

export const changeRole = async (organizationId: string, userId: string, role: GivenRole) => {
  const params = { path: { id: organizationId, user_id: userId } };
  await ask(client.PUT("/api/v1/organizations/{id}/members/{user_id}", { params, body: { role } }));
  await forgetMembers();
};

export const removeMember = async (organizationId: string, userId: string): Promise<void> => {
  const params = { path: { id: organizationId, user_id: userId } };
  await ask(client.DELETE("/api/v1/organizations/{id}/members/{user_id}", { params }));
  await forgetMembers();
};

/** Sends an invite by mail. Throws ServiceError 409 if the address has one or belongs to a member. */
export const invite = async (email: string, role: GivenRole): Promise<void> => {
  await ask(client.POST("/api/v1/invites", { body: { email, role } }));
  await forgetInvites();
};

export const resendInvite = async (id: string): Promise<void> => {
  await ask(client.POST("/api/v1/invites/{id}/resend", { params: { path: { id } } }));
  await forgetInvites();
};

export const revokeInvite = async (id: string): Promise<void> => {
  await ask(client.DELETE("/api/v1/invites/{id}", { params: { path: { id } } }));
  await forgetInvites();
};
