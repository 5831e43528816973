/** Procedures of the Fastify peer. */
export type FastifyPeerProcedures = {
  readonly serve: {
    readonly request: { readonly databaseUrl: string };
    readonly response: { readonly url: string };
  };
};
