// MozSoftErrorsStream: errors that the writer of the dump ignored, as JSON.
import type { StreamKind } from '../minidump.ts';
import { decodeUtf8 } from './strings.ts';

/** The JSON text, unchanged. */
export const SOFT_ERRORS: StreamKind<string> = {
  type: 0x4d7a0004,
  name: 'MozSoftErrorsStream',
  read: ({ bytes }) => decodeUtf8(bytes),
};
