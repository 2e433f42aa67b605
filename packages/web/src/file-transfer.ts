// Uploads files with their progress, which fetch can't report, and saves files on the visitor's machine.
import { NetworkError } from '@chauffeur/contract/client';
import type { Failure, Success } from '@chauffeur/contract/envelope';
import { ApiError } from '@chauffeur/contract/errors';

type Upload = {
  readonly method: 'PUT' | 'POST';
  readonly url: string;
  /** A file is sent as bytes. */
  readonly body: File | FormData;
  /** Receives the uploaded share, from 0 to 1. */
  readonly onProgress: (share: number) => void;
  readonly signal?: AbortSignal;
};

/** Resolves to the data of the response. Rejects with ApiError or NetworkError, or with the reason of the signal. */
export function upload<Data>({ method, url, body, onProgress, signal }: Upload): Promise<Data> {
  const { promise, resolve, reject } = Promise.withResolvers<Data>();
  signal?.throwIfAborted();
  const request = new XMLHttpRequest();
  request.open(method, url);
  if (body instanceof File) request.setRequestHeader('content-type', 'application/octet-stream');
  request.responseType = 'json';
  request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
  request.onerror = () => reject(new NetworkError('the connection failed'));
  request.onabort = () => reject(signal?.reason ?? new NetworkError('the connection failed'));
  request.onload = () =>
    request.status < 300 ? resolve((request.response as Success<Data> | null)?.data as Data) : reject(errorOf(request));
  signal?.addEventListener('abort', () => request.abort(), { once: true });
  request.send(body);
  return promise;
}

function errorOf({ status, response }: XMLHttpRequest): Error {
  const { error } = (response as Failure | null) ?? {};
  return error === undefined
    ? new NetworkError(`the server responded with status ${status}`)
    : new ApiError(error.code, error.message, { status, ...(error.data !== undefined && { data: error.data }) });
}

/** Saves a file that the page made or loaded, as a download of the browser. */
export function saveFile(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
