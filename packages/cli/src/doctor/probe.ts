// Observes the server, its certificate and the disk for `chauffeur doctor`.
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { readStart } from '@chauffeur/contract/client';
import { MIB } from '@chauffeur/contract/limits';
import { CLI_USER_AGENT, VERSION_HEADER } from '@chauffeur/contract/version';
import { type Answer, type Check, judgeSpace, problem } from './judge.ts';

const TIMEOUT_MS = 10_000;

/** `clockDifference` is the time of this machine minus the server's in milliseconds; null if the response has no date. */
export type Observation = Answer & { clockDifference: number | null };

/** Requests `url` without credentials. Rejects as fetch does, or with TimeoutError. */
export async function requestUrl(url: string, signal: AbortSignal): Promise<Observation> {
  const start = Date.now();
  const response = await fetch(url, {
    headers: { accept: 'application/json', 'user-agent': CLI_USER_AGENT },
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  const end = Date.now();
  const body = await readStart(response);
  const date = Date.parse(response.headers.get('date') ?? '');
  return {
    status: response.status,
    server: response.headers.get('server'),
    body,
    version: response.headers.get(VERSION_HEADER),
    location: response.headers.get('location'),
    clockDifference: Number.isNaN(date) ? null : (start + end) / 2 - date,
  };
}

/** The end of the validity of a host's certificate, in milliseconds since 1970; null if it cannot be read. */
export function readExpiry(url: string): Promise<number | null> {
  const { hostname, port } = new URL(url);
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const socket = connect({ host: hostname, port: Number(port || 443), servername: hostname, timeout: TIMEOUT_MS });
  const finish = (until: number | null) => {
    socket.destroy();
    resolve(until);
  };
  socket.on('error', () => finish(null)).on('timeout', () => finish(null));
  socket.on('secureConnect', () => {
    const until = Date.parse(socket.getPeerCertificate().valid_to);
    finish(Number.isNaN(until) ? null : until);
  });
  return promise;
}

/** Checks the folder for the temporary zip: by default the system's temporary folder. */
export async function checkDisk(tmp: string | undefined): Promise<Check> {
  const parent = tmp ?? tmpdir();
  try {
    const folder = await mkdtemp(join(parent, 'chauffeur-'));
    try {
      await writeFile(join(folder, 'probe'), Buffer.alloc(MIB));
      const { bavail, bsize } = await statfs(folder);
      return judgeSpace(parent, bavail * bsize);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT')
      return problem(
        'disk',
        `There is no space left in ${parent}.`,
        'Free some space, or use another folder with --tmp.',
      );
    return problem('disk', `${parent} cannot be written: ${message}`, 'Use another folder with --tmp.');
  }
}
