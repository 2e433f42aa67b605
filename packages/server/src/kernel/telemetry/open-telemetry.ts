// Sends spans to an OpenTelemetry collector (OTLP over HTTP, protobuf). Loaded only if a collector is configured.
import { setTimeout as wait } from 'node:timers/promises';
import { VERSION } from '@chauffeur/contract/version';
import {
  type Context,
  isSpanContextValid,
  type Span as OtelSpan,
  SpanKind as OtelSpanKind,
  ROOT_CONTEXT,
  type SpanContext,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { MINUTE } from '../clock.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Span, SpanOptions, Tracer } from './tracing.ts';

type Options = {
  /** The URL without the path `/v1/traces`. */
  readonly endpoint: string;
  /** The share of requests and jobs that are traced, if their caller has not decided. */
  readonly share: number;
  readonly role: string;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'traceSpans'>;
};

const EXPORT_MS = 5000;
/** The limit at the end of the process, when it has stopped its work. */
const STOP_MS = 2000;
const KINDS = {
  internal: OtelSpanKind.INTERNAL,
  server: OtelSpanKind.SERVER,
  consumer: OtelSpanKind.CONSUMER,
  client: OtelSpanKind.CLIENT,
} as const;

/**
 * Starts sending spans in the background. If the collector does not keep up or is away, spans are dropped. The usual
 * variables name the service and add headers: OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_EXPORTER_OTLP_HEADERS.
 */
export function startTracer(options: Options): Tracer {
  const url = `${options.endpoint.replace(/\/+$/, '')}/v1/traces`;
  const exporter = watchExporter(new OTLPTraceExporter({ url, timeoutMillis: EXPORT_MS }), options);
  const defaults = { 'service.name': 'chauffeur', 'service.version': VERSION, 'chauffeur.role': options.role };
  const provider = new TracerProvider({
    resource: resourceFromAttributes(defaults).merge(detectResources({ detectors: [envDetector] })),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.share) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: EXPORT_MS })],
  });
  const tracer = provider.getTracer('chauffeur', VERSION);

  function start(name: string, { kind = 'internal', attributes = {} }: SpanOptions, context: Context, link?: string) {
    const linked = readTraceparent(link);
    const links = linked === undefined ? [] : [{ context: linked }];
    return wrap(tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes }, links }, context));
  }

  function wrap(span: OtelSpan): Span {
    const { traceId, spanId, traceFlags } = span.spanContext();
    return {
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      traceId,
      startChild: (name, childOptions) => start(name, childOptions, trace.setSpan(ROOT_CONTEXT, span)),
      set: (attributes) => void span.setAttributes({ ...attributes }),
      fail: (error) => {
        span.setStatus({ code: SpanStatusCode.ERROR });
        span.setAttribute('error.type', describeError(error));
      },
      end: () => span.end(),
    };
  }

  return {
    start(name, { parent, link, ...spanOptions }) {
      const caller = readTraceparent(parent);
      return start(
        name,
        spanOptions,
        caller === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, caller),
        link,
      );
    },
    async stop() {
      const stopped = provider.shutdown().catch(() => undefined);
      await Promise.race([stopped, wait(STOP_MS, undefined, { ref: false })]);
    },
  };
}

/**
 * The header of version 00, or of a later one that begins with the same fields (https://www.w3.org/TR/trace-context/).
 */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-|$)/;

function readTraceparent(text: string | undefined): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text ?? '') ?? [];
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}

/** Such as `ApiError `unknownClientIds`` or `error 23505`. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' || typeof code === 'number' ? `${error.name} ${code}` : error.name;
}

/** Counts spans, and logs a failure once a minute. */
function watchExporter(exporter: SpanExporter, { log, metrics }: Options): SpanExporter {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return {
    export(spans, report) {
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined || result.code !== 0;
        metrics.traceSpans.inc({ outcome: failed ? 'failed' : 'exported' }, spans.length);
        if (failed && performance.now() - loggedAt > MINUTE) {
          loggedAt = performance.now();
          log.warn({ err: result.error }, 'spans could not be sent to the collector');
        }
        report(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}
