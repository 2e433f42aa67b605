// Traces requests: a span for each, from its headers to the end of its response.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { runInSpan, type Span } from '../kernel/telemetry/tracing.ts';

/** Monitors and load balancers request them every few seconds. */
const NOT_TRACED: ReadonlySet<string | undefined> = new Set(['/health', '/ready', '/metrics']);

const spans = new WeakMap<FastifyRequest, Span>();

/** The span of a request; undefined if it is not traced. */
export function requestSpanOf(request: FastifyRequest): Span | undefined {
  return spans.get(request);
}

/** Does nothing without a tracer. Spans never contain addresses, queries or headers: these contain tokens. */
export function traceRequests(app: FastifyInstance, { tracer }: Context): void {
  if (tracer === undefined) return;
  app.addHook('onRequest', (request, reply, done) => {
    const { config, url } = request.routeOptions;
    if (NOT_TRACED.has(url)) return done();
    const operation = config?.operation ?? 'other';
    const { traceparent } = request.headers;
    const span = tracer.start(operation === 'other' ? `${request.method} ${operation}` : operation, {
      kind: 'server',
      parent: typeof traceparent === 'string' ? traceparent : undefined,
      attributes: {
        'http.request.method': request.method,
        'http.route': url,
        'chauffeur.operation': operation,
        'chauffeur.request_id': request.id,
      },
    });
    spans.set(request, span);
    // Also if the client leaves before the end of the response.
    reply.raw.once('close', () => {
      span.set({ 'http.response.status_code': reply.statusCode });
      span.end();
    });
    runInSpan(span, done);
  });
  // Reading a body continues in the context of the socket, so the span is entered again.
  app.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else runInSpan(span, done);
  });
}
