// Adds transactions, and statements outside of them, to traces: never their text or values.
import { currentSpan, inSpan, type Span } from '../telemetry/tracing.ts';

const OPTIONS = { kind: 'client', attributes: { 'db.system.name': 'postgresql' } } as const;

/** Spans of transactions, which stand for all their statements. */
const transactions = new WeakSet<Span>();

/** Runs a transaction. */
export function traceTransaction<T>(run: () => Promise<T>): Promise<T> {
  if (currentSpan() === undefined) return run();
  return inSpan('transaction', OPTIONS, () => {
    transactions.add(currentSpan()!);
    return run();
  });
}

/** Sends a statement; `send` returns a promise, or whatever pg returns for streams. */
export function traceStatement<T>(statement: unknown, send: () => T): T {
  const parent = currentSpan();
  if (parent === undefined || transactions.has(parent)) return send();
  const span = parent.startChild(summaryOf(statement), OPTIONS);
  const result = send();
  endWith(span, result);
  return result;
}

/** The first word and the first table of a statement, such as `select files`. */
function summaryOf(statement: unknown): string {
  const text = typeof statement === 'string' ? statement : String((statement as { text?: unknown } | null)?.text ?? '');
  const verb = /^\s*([a-z]+)/i.exec(text)?.[1]?.toLowerCase() ?? 'query';
  const table = /\b(?:from|into|update)\s+([a-z_][a-z0-9_.]*)/i.exec(text)?.[1];
  return table === undefined ? verb : `${verb} ${table}`;
}

/** The caller handles the error of `result`. */
function endWith(span: Span, result: unknown): void {
  if (result instanceof Promise)
    result.then(
      () => span.end(),
      (error: unknown) => {
        span.fail(error);
        span.end();
      },
    );
  else span.end();
}
