import { queryOptions } from "@tanstack/react-query";
import { ask, client } from "./client.ts";
import { queryClient } from "./queryClient.ts";

export const sessionsQuery = () =>
  queryOptions({
    queryKey: ["sessions"],
    queryFn: ({ signal }) => ask(client.GET("/api/v1/auth/sessions", { signal })),
  });

export const revokeSession = async (id: string): Promise<void> => {
  await ask(client.DELETE("/api/v1/auth/sessions/{id}", { params: { path: { id } } }));
  await queryClient.invalidateQueries({ queryKey: ["sessions"] });
};

export const revokeOtherSessions = async (): Promise<void> => {
  await ask(client.DELETE("/api/v1/auth/sessions"));
  await queryClient.invalidateQueries({ queryKey: ["sessions"] });
};

export const requestVerification = (email: string) =>
  ask(client.POST("/api/v1/auth/verify-email/request", { body: { email } }));

export const changePassword = (current: string, next: string) =>
  ask(
    client.POST("/api/v1/auth/password/change", {
      body: { current_password: current, new_password: next },
    }),
  );
