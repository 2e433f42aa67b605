// The service's API as the pages use it: the contract's operations, called with the visitor's own session.
import { createClient, NetworkError } from '@chauffeur/contract/client';
import { ApiError } from '@chauffeur/contract/errors';
import type { InputOf, Operation, OutputOf } from '@chauffeur/contract/operation';
import { QueryClient, queryOptions } from '@tanstack/react-query';

const client = createClient({ url: `${location.origin}/api/v1` });

/** Calls an operation. Rejects with ApiError or NetworkError. */
export function call<Op extends Operation>(
  operation: Op,
  input: InputOf<Op>,
  signal?: AbortSignal,
): Promise<OutputOf<Op>> {
  return client.call(operation, input, signal === undefined ? {} : { signal });
}

/** The same with a form as the body: `params` are those of the path alone. */
export function send<Op extends Operation>(
  operation: Op,
  params: Partial<InputOf<Op>>,
  form: FormData,
): Promise<OutputOf<Op>> {
  return client.call(operation, params as InputOf<Op>, { form });
}

/** What a page asks for: kept under the operation and its input, and asked for anew when the visitor comes back to it. */
export function ask<Op extends Operation>(operation: Op, input: InputOf<Op>) {
  return queryOptions({
    queryKey: [operation.id, input] as const,
    queryFn: ({ signal }) => call(operation, input, signal),
  });
}

const TRIES = 3;
const LONGEST_WAIT_MS = 30_000;

/** Whether another try may help: the network was away, or the service asked to come again later. */
export function isPassing(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof ApiError && (error.status === 429 || error.status === 503));
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, error) => isPassing(error) && failures < TRIES,
        retryDelay: (failures, error) => waitBefore(failures, error),
      },
    },
  });
}

function waitBefore(failures: number, error: unknown): number {
  const asked = error instanceof ApiError ? error.data?.retry_after : undefined;
  return Math.min(LONGEST_WAIT_MS, typeof asked !== 'number' ? 1000 * 2 ** failures : asked * 1000);
}
