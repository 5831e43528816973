/** Procedures of the socket peer. */
export type SocketPeerProcedures = {
  readonly serve: { readonly request: object; readonly response: { readonly url: string } };
  /** Writes `events` frames, in the format of the service, to every socket. */
  readonly burst: { readonly request: { readonly events: number }; readonly response: object };
};
