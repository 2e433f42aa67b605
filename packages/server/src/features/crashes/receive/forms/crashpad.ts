// Tells Crashpad’s reports from Breakpad’s, which send the same form: by how it is sent, and by what Electron adds to it.
import type { IncomingHttpHeaders } from 'node:http';

/** A form as far as it shows which client sent it. */
export type SentForm = {
  readonly headers: IncomingHttpHeaders;
  readonly query: Readonly<Record<string, unknown>>;
  readonly fields: ReadonlyMap<string, string>;
};

type Sign = { readonly name: string; readonly isThere: (form: SentForm) => boolean };

/** Each is enough alone: Crashpad’s options turn some of them off, and a proxy may hide others. Breakpad’s senders have none. */
export const CRASHPAD_SIGNS: readonly Sign[] = [
  {
    name: 'packed body',
    isThere: ({ headers }) => /^\s*(x-)?gzip\s*$/i.test(headers['content-encoding'] ?? ''),
  },
  {
    name: 'body without a length',
    isThere: ({ headers }) => /\bchunked\b/i.test(headers['transfer-encoding'] ?? ''),
  },
  {
    name: 'annotations in the address',
    isThere: ({ query }) => ['product', 'version', 'guid'].some((name) => typeof query[name] === 'string'),
  },
  {
    name: 'fields of Electron',
    isThere: ({ fields }) => fields.has('_productName') || fields.has('_version'),
  },
];

/** Whether Crashpad, or a program built on it, sent the form. */
export function isFromCrashpad(form: SentForm): boolean {
  return CRASHPAD_SIGNS.some(({ isThere }) => isThere(form));
}
