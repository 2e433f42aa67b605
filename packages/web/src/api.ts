// Calls the API with the visitor's session, and defines the queries of the pages: operations of the contract with their
// input.
import { createClient, isTransient } from '@chauffeur/contract/client';
import { ApiError } from '@chauffeur/contract/errors';
import type { InputOf, Operation, OutputOf } from '@chauffeur/contract/operation';
import { infiniteQueryOptions, QueryClient, queryOptions } from '@tanstack/react-query';
import { useState } from 'react';

const client = createClient({ url: `${location.origin}/api/v1` });

/** Calls an operation. Rejects with ApiError or NetworkError. */
export function call<Op extends Operation>(
  operation: Op,
  input: InputOf<Op>,
  signal?: AbortSignal,
): Promise<OutputOf<Op>> {
  return client.call(operation, input, signal === undefined ? {} : { signal });
}

/**
 * Calls an operation with a form or bytes as its body; `params` are the parameters of path and query. Rejects with
 * ApiError or NetworkError.
 */
export function send<Op extends Operation>(
  operation: Op,
  params: Partial<InputOf<Op>>,
  form: FormData | Uint8Array<ArrayBuffer>,
): Promise<OutputOf<Op>> {
  return client.call(operation, params as InputOf<Op>, { form });
}

/** A query for an operation, cached by its ID and input. It is loaded again when the visitor returns to the page. */
export function ask<Op extends Operation>(operation: Op, input: InputOf<Op>) {
  return queryOptions({
    queryKey: [operation.id, input] as const,
    queryFn: ({ signal }) => call(operation, input, signal),
  });
}

/**
 * A query for all pages of an operation that returns `next_cursor`. Its key differs from that of `ask`, because the
 * cached values have different shapes.
 */
export function pagesQuery<Op extends Operation>(operation: Op, input: Omit<InputOf<Op>, 'cursor'>) {
  return infiniteQueryOptions({
    queryKey: [operation.id, 'pages', input] as const,
    queryFn: ({ pageParam: cursor, signal }) =>
      call(operation, { ...input, ...(cursor !== null && { cursor }) } as InputOf<Op>, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page as { next_cursor?: string | null }).next_cursor,
  });
}

const MAX_RETRIES = 3;
const MAX_RETRY_DELAY_MS = 30_000;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, error) => isTransient(error) && failures < MAX_RETRIES,
        retryDelay: (failures, error) => retryDelayOf(failures, error),
      },
    },
  });
}

/** The delay in milliseconds: what the server asked for, or exponential backoff. */
function retryDelayOf(failures: number, error: unknown): number {
  const requestedSeconds = error instanceof ApiError ? error.data?.retry_after : undefined;
  return Math.min(
    MAX_RETRY_DELAY_MS,
    typeof requestedSeconds === 'number' ? requestedSeconds * 1000 : 1000 * 2 ** failures,
  );
}

/**
 * The data of a mutation or, while it runs again, that of the last time. The button that shows it stays, too.
 */
export function useKeptData<Data>({ data, isPending }: { data: Data | undefined; isPending: boolean }) {
  const [kept, setKept] = useState(data);
  if (!isPending && data !== kept) setKept(data);
  return isPending ? kept : data;
}
