/** What the bare server can be asked. */
export type PeerRequests = {
  readonly serve: {
    readonly asks: { readonly databaseUrl: string };
    readonly answers: { readonly url: string };
  };
};
