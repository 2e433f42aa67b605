// Uploads a zip in chunks through a session that survives lost connections and restarts of either side.
import { ApiError } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import { listUploadSessions, openUploadSession, uploadFile } from '@chauffeur/contract/operations/uploads';
import { currentSizeOf, Patience, persist } from '../retry.ts';
import { multipartBody } from './multipart.ts';
import type { UploadedFile, UploadTask } from './upload.ts';

/** New sessions opened after the server no longer knew one. */
const MOST_REOPENED = 3;

/** The server drops the session with these: what it got is wrong as a whole. */
const ENDED_BY: readonly (number | null)[] = [4041, 4046];

type Session = { session_id: string; current_size: number; expires_at: string };

/** Resolves when the server has the whole zip. Rejects with ApiError, GaveUpError or the reason of the signal. */
export async function uploadInSession(task: UploadTask): Promise<UploadedFile> {
  const patience = new Patience(task);
  let session = task.resume ? await findSession(task) : null;
  for (let reopened = 0; ; reopened++) {
    session ??= await persist(task, () => openSession(task));
    try {
      return await sendChunks(task, session, patience);
    } catch (error) {
      const code = error instanceof ApiError ? error.code : null;
      const isGone = code === 4045;
      if (!isGone && !ENDED_BY.includes(code)) tellHowToGoOn(task, session);
      if (!isGone || reopened === MOST_REOPENED) throw error;
      task.note('The server no longer knows the upload session; starting a new one.');
      session = null;
    }
  }
}

/** The open session of the same zip and build, or null; a server that cannot list sessions has none to continue. */
async function findSession(task: UploadTask): Promise<Session | null> {
  const { client, signal, zip, fields } = task;
  const query = { build_id: fields.build_id, checksum: zip.sha256 };
  try {
    const { sessions } = await persist(task, () => client.call(listUploadSessions, query, { signal }));
    const found = sessions.find((open) => open.checksum === zip.sha256 && open.expected_size === zip.size);
    if (found !== undefined)
      task.note(`Continuing an interrupted upload at ${percentOf(found.current_size, zip.size)}.`);
    return found ?? null;
  } catch (error) {
    if (error instanceof ApiError && error.code === 4040) return null;
    throw error;
  }
}

function openSession({ client, signal, zip, fields }: UploadTask): Promise<Session> {
  const form = { ...fields, checksum: zip.sha256, filename: zip.filename, total_size: zip.size };
  return client.call(openUploadSession, form, { signal });
}

/** Rejects with the ApiError 4045 when the session is gone. */
async function sendChunks(task: UploadTask, session: Session, patience: Patience): Promise<UploadedFile> {
  const { size } = task.zip;
  // Where the answer to the last chunk was lost the server has everything: that chunk, sent again, is answered again.
  const lastStart = Math.floor((size - 1) / LIMITS.chunkBytes) * LIMITS.chunkBytes;
  let stored = session.current_size;
  let furthest = stored;
  for (;;) {
    const start = Math.min(stored, lastStart);
    try {
      const answer = await sendChunk(task, session, start);
      if ('file_uid' in answer) return answer;
      stored = answer.current_size;
      if (stored <= furthest)
        throw new ApiError(4044, 'The server kept no byte of the chunk.', { data: { current_size: stored } });
      furthest = stored;
      patience.progressed();
    } catch (error) {
      stored = currentSizeOf(error) ?? stored;
      await patience.endure(error);
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

function tellHowToGoOn({ note }: UploadTask, session: Session): void {
  note(`The server keeps what it has until ${session.expires_at}: run the same command again to go on from there.`);
}

function percentOf(part: number, whole: number): string {
  return `${Math.floor((100 * part) / whole)} %`;
}
