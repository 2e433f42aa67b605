// Uploads a build's zip: small ones in one request, larger ones in a session of chunks.
import { type Client, NetworkError } from '@chauffeur/contract/client';
import type { Platform } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { uploadFile } from '@chauffeur/contract/operations/uploads';
import { type PatienceOptions, persist } from '../retry.ts';
import { multipartBody } from './multipart.ts';
import { uploadInSession } from './session.ts';

export type UploadedFile = Extract<OutputOf<typeof uploadFile>, { file_uid: string }>;

export type UploadTask = PatienceOptions & {
  client: Client;
  /** `filename` is what the service calls it, `path` where it lies; `size` in bytes. */
  zip: { path: string; filename: string; size: number; sha256: string };
  fields: Platform & { build_id: string; channel: string };
  /** Whether to continue an open session of the same zip and build. */
  resume: boolean;
  /** Bytes sent so far, and in all; falls back when something must be sent again. */
  onProgress: (done: number, total: number) => void;
};

/** Resolves to the file's record. Rejects with ApiError, GaveUpError or the reason of the signal. */
export async function uploadZip(task: UploadTask): Promise<UploadedFile> {
  return task.zip.size > LIMITS.singleUploadBytes ? uploadInSession(task) : uploadWhole(task);
}

/** Repeated when the answer is lost: at worst the build has the same file twice, and players get the newer one. */
async function uploadWhole(task: UploadTask): Promise<UploadedFile> {
  const { client, signal, zip, onProgress } = task;
  const fields = { ...task.fields, checksum: zip.sha256 };
  return persist(task, async () => {
    const whole = { ...zip, start: 0, end: zip.size };
    const { form, headers } = multipartBody(fields, whole, (sent) => onProgress(sent, zip.size));
    const answer = await client.send(uploadFile, form, { headers, signal });
    if ('file_uid' in answer) return answer;
    throw new NetworkError('The server answered a whole file as if it were a chunk.');
  });
}
