// Distinguishes Crashpad's reports from Breakpad's, which send the same form: by how it is sent, and by annotations of
// Electron.
import type { IncomingHttpHeaders } from 'node:http';

/** The parts of a form request that differ between clients. */
export type FormRequest = {
  readonly headers: IncomingHttpHeaders;
  readonly query: Readonly<Record<string, unknown>>;
  readonly fields: ReadonlyMap<string, string>;
};

type Sign = { readonly name: string; readonly matches: (form: FormRequest) => boolean };

/**
 * Each sign alone is enough: options of Crashpad disable some of them, and a proxy may hide others. Breakpad's clients
 * have none.
 */
const CRASHPAD_SIGNS: readonly Sign[] = [
  {
    name: 'compressed body',
    matches: ({ headers }) => /^\s*(x-)?gzip\s*$/i.test(headers['content-encoding'] ?? ''),
  },
  {
    name: 'body without a length',
    matches: ({ headers }) => /\bchunked\b/i.test(headers['transfer-encoding'] ?? ''),
  },
  {
    name: 'annotations in the query',
    matches: ({ query }) => ['product', 'version', 'guid'].some((name) => typeof query[name] === 'string'),
  },
  {
    name: 'annotations of Electron',
    matches: ({ fields }) => fields.has('_productName') || fields.has('_version'),
  },
];

/** Whether the form was sent by Crashpad or a program built on it. */
export function isFromCrashpad(form: FormRequest): boolean {
  return CRASHPAD_SIGNS.some(({ matches }) => matches(form));
}
