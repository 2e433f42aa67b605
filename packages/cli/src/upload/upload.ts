// Uploads a build's zip: small ones in one request, larger ones in a session of chunks.
import { NetworkError } from '@chauffeur/contract/client';
import { LIMITS } from '@chauffeur/contract/limits';
import { type UploadedFile, uploadFile } from '@chauffeur/contract/operations/uploads';
import { retry } from '../retry.ts';
import { multipartBody } from './multipart.ts';
import { uploadInSession } from './session.ts';
import type { UploadTask } from './task.ts';

/** Resolves to the uploaded file. Rejects with ApiError, GaveUpError or the reason of the signal. */
export async function uploadZip(task: UploadTask): Promise<UploadedFile> {
  return task.zip.size > LIMITS.singleUploadBytes ? uploadInSession(task) : uploadWhole(task);
}

/** Retried if the response is lost: at worst the build has the same file twice, and players get the newer one. */
async function uploadWhole(task: UploadTask): Promise<UploadedFile> {
  const { client, signal, zip, onProgress } = task;
  const fields = { ...task.fields, checksum: zip.sha256 };
  return retry(task, async () => {
    const whole = { ...zip, start: 0, end: zip.size };
    const { form, headers } = multipartBody(fields, whole, (sent) => onProgress(sent, zip.size));
    const answer = await client.send(uploadFile, form, { headers, signal });
    if ('file_uid' in answer) return answer;
    throw new NetworkError('The server responded to a whole file as if it were a chunk.');
  });
}
