// Uploads a file to its upload URL and reports progress, which fetch can't do.
import { NetworkError } from '@chauffeur/contract/client';
import type { Failure } from '@chauffeur/contract/envelope';
import { ApiError } from '@chauffeur/contract/errors';

/** `onProgress` gets the uploaded share, from 0 to 1. Rejects with ApiError or NetworkError. */
export function putFile(url: string, file: File, onProgress: (share: number) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request = new XMLHttpRequest();
  request.open('PUT', url);
  request.setRequestHeader('content-type', 'application/octet-stream');
  request.responseType = 'json';
  request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
  request.onerror = () => reject(new NetworkError('the connection failed'));
  request.onload = () => (request.status < 300 ? resolve() : reject(errorOf(request)));
  request.send(file);
  return promise;
}

function errorOf({ status, response }: XMLHttpRequest): Error {
  const { error } = (response as Failure | null) ?? {};
  return error === undefined
    ? new NetworkError(`the server responded with status ${status}`)
    : new ApiError(error.code, error.message, { status });
}
