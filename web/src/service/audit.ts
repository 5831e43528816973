import { infiniteQueryOptions } from "@tanstack/react-query";
import type { Answer } from "../../../src/client/client.ts";
import { ask, client } from "./client.ts";

export type AuditEvent = Answer<"listAudit", 200>["items"][number];

/** The audited events of an organisation, newest first. */
export const auditQuery = (organizationId: string) =>
  infiniteQueryOptions({
    queryKey: ["audit", organizationId],
    queryFn: ({ signal, pageParam }) => {
      const query = { limit: 50, ...(pageParam !== null && { cursor: pageParam }) };
      const params = { path: { id: organizationId }, query };
      return ask(client.GET("/api/v1/organizations/{id}/audit", { params, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });
