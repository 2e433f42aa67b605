// Spans: the parts of a request or a job that traces show. Without a tracer, these functions only call the work.
import { AsyncLocalStorage } from 'node:async_hooks';

/** Never what a client sent, except ids: traces leave the service. */
type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
/** `server`: a request to us; `consumer`: a job; `client`: a request of ours; otherwise work of this process. */
type SpanKind = 'internal' | 'server' | 'consumer' | 'client';
export type SpanOptions = { readonly kind?: SpanKind; readonly attributes?: Attributes };

export type Span = {
  /** Identifies the span in other processes (https://www.w3.org/TR/trace-context/). */
  readonly traceparent: string;
  /** The id of its trace: 32 hex digits. */
  readonly traceId: string;
  startChild(name: string, options: SpanOptions): Span;
  set(attributes: Attributes): void;
  /** Records the class and code of the error. Its message may contain what a client sent. */
  fail(error: unknown): void;
  end(): void;
};

export type Tracer = {
  /**
   * Starts the span of a request or a job. `parent` and `link` are traceparents: of the caller, and of the span that
   * caused the work.
   */
  start(name: string, options: SpanOptions & { parent?: string | undefined; link?: string | undefined }): Span;
  /** Sends the ended spans. Does not wait for long, and never throws. */
  stop(): Promise<void>;
};

const active = new AsyncLocalStorage<Span>();

/** The span in which this code runs; undefined if its request or job is not traced. */
export function currentSpan(): Span | undefined {
  return active.getStore();
}

/** Runs `work` in the span, which the caller ends. */
export function runInSpan<T>(span: Span, work: () => T): T {
  return active.run(span, work);
}

/** Runs `work` outside of any span: work for others that this request or job only happens to start. */
export function runDetached<T>(work: () => T): T {
  return active.getStore() === undefined ? work() : active.exit(work);
}

/** Runs `work` in a span of its own within the current one. */
export async function inSpan<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  const span = active.getStore()?.startChild(name, options);
  if (span === undefined) return work();
  try {
    return await active.run(span, work);
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}
