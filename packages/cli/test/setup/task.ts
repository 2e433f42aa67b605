// An upload of random bytes to a peer, which records its delays instead of waiting.
import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createClient } from '@chauffeur/contract/client';
import type { UploadTask } from '../../src/upload/upload.ts';
import { KEY, type Peer } from './peer.ts';
import { tempFolder } from './temp.ts';

export type TestTask = UploadTask & { bytes: Buffer; notes: string[]; pauses: number[]; stop: AbortController };

export function makeTask(t: TestContext, peer: Peer, size: number, more: Partial<UploadTask> = {}): TestTask {
  const bytes = randomBytes(size);
  const path = join(tempFolder(t), 'build.zip');
  writeFileSync(path, bytes);
  const stop = new AbortController();
  const notes: string[] = [];
  const pauses: number[] = [];
  return {
    client: createClient({ url: peer.url, headers: { 'x-access-token': KEY.access, 'x-secret-key': KEY.secret } }),
    zip: { path, filename: 'build.zip', size, sha256: createHash('sha256').update(bytes).digest('hex') },
    fields: { build_id: '01900000-0000-7000-8000-000000000001', os: 'linux', arch: 'x86_64', channel: 'stable' },
    resume: true,
    onProgress: () => {},
    note: (line) => notes.push(line),
    tries: 6,
    signal: stop.signal,
    waiting: {
      pause: async (ms) => {
        pauses.push(ms);
      },
      random: () => 1,
    },
    bytes,
    notes,
    pauses,
    stop,
    ...more,
  };
}
