import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";
import { buildOpenApi } from "./openapi.ts";
import type { Operation } from "./operation.ts";

/** Serves `/openapi.json` and the page `/api/v1/docs`, which needs nothing from elsewhere. */
export const registerDocs = async (
  app: FastifyInstance,
  operations: readonly Operation[],
): Promise<void> => {
  const document = buildOpenApi(operations);
  const text = JSON.stringify(document);
  app.get("/openapi.json", async (_request, reply) =>
    reply.type("application/json; charset=utf-8").send(text),
  );
  await app.register(swagger, {
    mode: "static",
    specification: { document: document as never },
  });
  await app.register(swaggerUi, {
    routePrefix: "/api/v1/docs",
    logLevel: "warn",
    uiConfig: { url: "/openapi.json", docExpansion: "none", deepLinking: true, validatorUrl: null },
  });
};
