// Uploads a build's zip. Small ones are sent in one request, larger ones in a session of chunks, which survives lost
// connections and restarts of client and server:
//
//   find   The open session of the same zip and build is continued where the server says, unless --no-resume is set.
//   open   Otherwise a session is opened with the size and checksum of the whole zip.
//   send   Chunks follow each other. Each response has the stored size, where the next chunk starts. After an error, the
//          size that the server reports counts, and if it has none, the same chunk is sent again.
//   done   The response to the last chunk is the file. If it is lost, sending the last chunk again repeats it.
//   gone   The server deletes sessions that expire (`unknownSession`), which are opened again a few times, and sessions
//          whose content was wrong (`invalidFile`, `wrongChecksum`), which are not. After any other error, the session
//          stays open and can be resumed.
//
// Retries count from the last chunk that was stored, so a slow connection can take as long as it needs.
import { type Client, NetworkError } from '@chauffeur/contract/client';
import { errors, isError } from '@chauffeur/contract/errors';
import type { Platform } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import {
  type BundleReceipt,
  listUploadSessions,
  openUploadSession,
  type UploadedFile,
  type UploadFormat,
  uploadFile,
} from '@chauffeur/contract/operations/uploads';
import { Retries, type RetryOptions, readCurrentSize, retry } from '../retry.ts';
import { multipartBody } from './multipart.ts';

/** What an upload needs: shared by single uploads and sessions. */
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

/** How often a session that the server no longer has is replaced. */
const MAX_REOPENED = 3;

type Session = { session_id: string; current_size: number; expires_at: string };

/** Resolves when the server has the whole zip. Rejects with ApiError, GaveUpError or the reason of the signal. */
export async function uploadInSession(task: UploadTask): Promise<UploadedFile> {
  const received = await sendInSession(task, 'zip');
  if ('file_uid' in received) return received;
  throw new NetworkError('The server responded to a zip as if it were a bundle.');
}

/** Does the same for a bundle, from which the server composes the zip afterwards. */
export async function uploadBundle(task: UploadTask): Promise<BundleReceipt> {
  const received = await sendInSession(task, 'blocks');
  if ('state' in received) return received;
  throw new NetworkError('The server responded to a bundle as if it were a zip.');
}

type Received = UploadedFile | BundleReceipt;

async function sendInSession(task: UploadTask, format: UploadFormat): Promise<Received> {
  const retries = new Retries(task);
  let session = task.resume ? await findSession(task) : null;
  for (let reopened = 0; ; reopened++) {
    session ??= await retry(task, () => openSession(task, format));
    try {
      return await sendChunks(task, session, retries);
    } catch (error) {
      const isGone = isError(error, 'unknownSession');
      // The server has deleted a session whose whole content was wrong.
      if (!isGone && !isError(error, 'invalidFile', 'wrongChecksum')) noteHowToResume(task, session);
      if (!isGone || reopened === MAX_REOPENED) throw error;
      task.note('The upload session no longer exists on the server. Starting a new one.');
      session = null;
    }
  }
}

/** The open session of the same zip and build; null if there is none, or if the server cannot list sessions. */
async function findSession(task: UploadTask): Promise<Session | null> {
  const { client, signal, zip, fields } = task;
  const query = { build_id: fields.build_id, checksum: zip.sha256 };
  try {
    const { sessions } = await retry(task, () => client.call(listUploadSessions, query, { signal }));
    const existing = sessions.find((open) => open.checksum === zip.sha256 && open.expected_size === zip.size);
    if (existing !== undefined)
      task.note(`Resuming an interrupted upload at ${formatPercent(existing.current_size, zip.size)}.`);
    return existing ?? null;
  } catch (error) {
    if (isError(error, 'notFound')) return null;
    throw error;
  }
}

function openSession({ client, signal, zip, fields }: UploadTask, format: UploadFormat): Promise<Session> {
  const form = {
    ...{ ...fields, checksum: zip.sha256, filename: zip.filename, total_size: zip.size },
    ...(format !== 'zip' && { format }),
  };
  return client.call(openUploadSession, form, { signal });
}

/** Rejects with `unknownSession` if the session no longer exists. */
async function sendChunks(task: UploadTask, session: Session, retries: Retries): Promise<Received> {
  const { size } = task.zip;
  // If the response to the last chunk was lost, the server has everything. Sending that chunk again repeats the response.
  const lastStart = Math.floor((size - 1) / LIMITS.chunkBytes) * LIMITS.chunkBytes;
  let stored = session.current_size;
  let furthest = stored;
  for (;;) {
    const start = Math.min(stored, lastStart);
    try {
      const answer = await sendChunk(task, session, start);
      if ('file_uid' in answer || 'state' in answer) return answer;
      stored = answer.current_size;
      if (stored <= furthest)
        throw errors.invalidChunk('The server did not store the chunk.', { data: { current_size: stored } });
      furthest = stored;
      retries.reset();
    } catch (error) {
      stored = readCurrentSize(error) ?? stored;
      await retries.waitAfter(error);
    }
  }
}

function sendChunk(task: UploadTask, session: Session, start: number) {
  const { client, signal, zip, onProgress } = task;
  const end = Math.min(start + LIMITS.chunkBytes, zip.size);
  const { form, headers } = multipartBody({}, { ...zip, start, end }, (sent) => onProgress(start + sent, zip.size));
  return client.send(uploadFile, form, {
    signal,
    headers: {
      ...headers,
      'x-upload-session-id': session.session_id,
      'content-range': `bytes ${start}-${end - 1}/${zip.size}`,
    },
  });
}

function noteHowToResume({ note }: UploadTask, session: Session): void {
  note(`To resume the upload, run the same command again before ${session.expires_at}.`);
}

function formatPercent(part: number, whole: number): string {
  return `${Math.floor((100 * part) / whole)}%`;
}
