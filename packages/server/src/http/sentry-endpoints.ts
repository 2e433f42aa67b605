// The endpoints of Sentry's SDKs, and what receives their requests.
import type { RequestHead } from '@chauffeur/sentry/dsn/credentials';
import { takeSessions } from '../analytics/sdk-sessions/sdk-sessions.ts';
import type { Context } from '../context.ts';
import { type Received, receiveEnvelope, receiveStore } from '../crash/sentry/receive/envelope.ts';
import { receiveMinidump, receiveUnrealArchive } from '../crash/sentry/receive/minidump.ts';
import type { SentryRequest } from '../crash/sentry/receive/sender.ts';
import { fileFeedback } from '../shop/bugs/feedback.ts';

type Receive = (ctx: Context, request: SentryRequest, head: RequestHead) => Promise<Received>;

export type Endpoint = {
  /** The id in logs and metrics. */
  readonly operation: string;
  readonly url: string;
  readonly receive: Receive;
  /** Whether `receive` reads the body from `whole`, if it is there. */
  readonly takesWhole?: boolean;
  /** Whether the response is the id alone, as Crashpad expects it, and not JSON. */
  readonly isBareId?: boolean;
};

const takeEnvelope: Receive = (ctx, request, head) =>
  receiveEnvelope(ctx, request, head, { takeFeedback: fileFeedback, takeSessions });

export const ENDPOINTS: readonly Endpoint[] = [
  { operation: 'sentry.envelope', url: '/api/:project/envelope', receive: takeEnvelope, takesWhole: true },
  {
    operation: 'sentry.store',
    url: '/api/:project/store',
    receive: (ctx, request, head) => receiveStore(ctx, request, head, fileFeedback),
    takesWhole: true,
  },
  { operation: 'sentry.minidump', url: '/api/:project/minidump', receive: receiveMinidump, isBareId: true },
  { operation: 'sentry.unreal', url: '/api/:project/unreal/:key', receive: receiveUnrealArchive, isBareId: true },
  // Only the DSN in the envelope says which game it is for.
  { operation: 'sentry.tunnel', url: '/tunnel', receive: takeEnvelope },
];
