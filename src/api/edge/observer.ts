import type { FastifyInstance, FastifyRequest } from "fastify";

/** A request's own part of a trace. */
export type RequestTrace = {
  /** Does something within it. */
  within<T>(work: () => T): T;
  end(status: number): void;
};

/** Who is told what happens at the edge. Nothing that it is told says whose a request is. */
export type EdgeObserver = {
  /** A request was answered. `route`: as it was registered, null where there is none. */
  readonly answered?:
    | ((method: string, route: string | null, status: number, seconds: number) => void)
    | undefined;
  /** Requests were refused before anything was looked at, for there were too many. */
  readonly turnedAway?: (() => void) | undefined;
  /** A WebSocket opened or closed. `kind`: the last part of its path. */
  readonly subscribed?: ((kind: string, change: 1 | -1) => void) | undefined;
  /** A request begins. `traceparent`: as its caller sent it. */
  readonly trace?:
    | ((method: string, route: string, traceparent: string | undefined) => RequestTrace)
    | undefined;
};

/** Tells of every request that passes the hooks. */
export const registerObserver = (app: FastifyInstance, observer: EdgeObserver): void => {
  const { answered, trace } = observer;
  if (answered) {
    app.addHook("onResponse", (request, reply, done) => {
      const route = request.routeOptions.url ?? null;
      answered(request.method, route, reply.statusCode, reply.elapsedTime / 1_000);
      done();
    });
  }
  if (trace) registerTraces(app, trace);
};

const registerTraces = (app: FastifyInstance, trace: NonNullable<EdgeObserver["trace"]>): void => {
  const traces = new WeakMap<FastifyRequest, RequestTrace>();
  app.addHook("onRequest", (request, _reply, done) => {
    const route = request.routeOptions.url;
    // A WebSocket lasts, and who asks after health does so for ever.
    if (route === undefined || request.ws || route.includes("/health/")) return done();
    const { traceparent } = request.headers;
    const begun = trace(
      request.method,
      route,
      typeof traceparent === "string" ? traceparent : undefined,
    );
    traces.set(request, begun);
    begun.within(done);
  });
  // A body comes in on its connection, outside of what was begun before.
  app.addHook("preValidation", (request, _reply, done) => {
    const begun = traces.get(request);
    if (begun) begun.within(done);
    else done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    traces.get(request)?.end(reply.statusCode);
    done();
  });
  app.addHook("onRequestAbort", (request, done) => {
    traces.get(request)?.end(0);
    traces.delete(request);
    done();
  });
};
