// What an upload needs: shared by single uploads and sessions.
import type { Client } from '@chauffeur/contract/client';
import type { Platform } from '@chauffeur/contract/identity';
import type { RetryOptions } from '../retry.ts';

export type UploadTask = RetryOptions & {
  client: Client;
  /** `filename` is its name on the service, `path` its path on disk; `size` is in bytes. */
  zip: { path: string; filename: string; size: number; sha256: string };
  fields: Platform & { build_id: string; channel: string };
  /** Whether to resume an open session of the same zip and build. */
  resume: boolean;
  /** Called with the bytes sent so far and in total. The first number decreases when a chunk is sent again. */
  onProgress: (done: number, total: number) => void;
};
