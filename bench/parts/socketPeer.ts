/** What the process of bare sockets can be asked. */
export type SocketPeerRequests = {
  readonly serve: { readonly asks: object; readonly answers: { readonly url: string } };
  /** Writes so many frames of the same kind as the service's to every socket, one after the other. */
  readonly burst: { readonly asks: { readonly events: number }; readonly answers: object };
};
