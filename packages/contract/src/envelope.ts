// The envelope of every JSON response, success or failure.
import type { ApiError, ErrorCode, ErrorData } from './errors.ts';

export type Success<T> = { success: true; data: T };
/** `data` is repeated outside of `error`, because existing clients read it in either place. */
export type Failure = {
  success: false;
  error: { code: ErrorCode; message: string; data?: ErrorData };
  data?: ErrorData;
};

export function successOf<T>(data: T): Success<T> {
  return { success: true, data };
}

export function failureOf(error: ApiError): Failure {
  const { code, message, data } = error;
  return data === undefined
    ? { success: false, error: { code, message } }
    : { success: false, error: { code, message, data }, data };
}
