// Responds to requests that Node's HTTP parser rejects, which belong to no route or operation.

import type { Socket } from 'node:net';
import { failureOf } from '@chauffeur/contract/envelope';
import { errors } from '@chauffeur/contract/errors';
import { newId } from '../kernel/secrets/ids.ts';
import type { Log } from '../kernel/telemetry/log.ts';

/** Keys are the codes of the parser; any other error is a 400. */
const REFUSALS: Readonly<Record<string, { status: number; phrase: string; message: string }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    phrase: 'Request Timeout',
    message: 'The request did not arrive in time. Send it again.',
  },
  HPE_HEADER_OVERFLOW: {
    status: 431,
    phrase: 'Request Header Fields Too Large',
    message: 'The headers are too large. Make them smaller.',
  },
};
const MALFORMED = {
  status: 400,
  phrase: 'Bad Request',
  message: 'The request is not well-formed HTTP/1.1. Check its headers and lengths.',
};

/** Responds once and closes the connection, because the start of the next request is unknown. */
export function answerClientError(log: Log, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const { status, phrase, message } = REFUSALS[error.code ?? ''] ?? MALFORMED;
  const requestId = newId();
  log.info({ requestId, status, reason: error.code }, 'malformed request refused');
  const body = JSON.stringify(failureOf(errors.invalid(message)));
  const head = [
    `HTTP/1.1 ${status} ${phrase}`,
    'content-type: application/json; charset=utf-8',
    `x-request-id: ${requestId}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroy(error);
}
