// MozSoftErrorsStream: what the writer of the dump could not get at, as JSON of its own.
import type { StreamKind } from '../minidump.ts';
import { decodeUtf8 } from './strings.ts';

/** The text of the JSON, as it stands there. */
export const SOFT_ERRORS: StreamKind<string> = {
  type: 0x4d7a0004,
  name: 'MozSoftErrorsStream',
  read: ({ bytes }) => decodeUtf8(bytes),
};
