import type { FastifyInstance, FastifyRequest } from "fastify";

/** The span of a request in a trace. */
export type RequestTrace = {
  /** Runs `work` within the span. */
  within<T>(work: () => T): T;
  end(status: number): void;
};

/** Receives metrics and traces of HTTP. Nothing identifies the caller. */
export type EdgeObserver = {
  /** Called after each response. `route` is the registered path; null if none matched. */
  readonly answered?:
    | ((method: string, route: string | null, status: number, seconds: number) => void)
    | undefined;
  /** Called when load shedding rejects a request. */
  readonly turnedAway?: (() => void) | undefined;
  /** Called when a WebSocket opens or closes. `kind` is the last segment of its path. */
  readonly subscribed?: ((kind: string, change: 1 | -1) => void) | undefined;
  /** Called when a request begins. `traceparent` is the header of the caller. */
  readonly trace?:
    | ((method: string, route: string, traceparent: string | undefined) => RequestTrace)
    | undefined;
};

/** Reports every request to the observer. */
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
    // WebSockets and health checks are not traced.
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
  // Body events run outside the context entered in onRequest.
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
