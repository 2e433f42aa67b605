// Shows at the foot of the page when the visitor is offline, the server is unavailable or a request is slow.
import { onlineManager, useIsFetching } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { t } from '../texts.tsx';
import classes from './ConnectionStatus.module.css';
import { useIsServerAwaited } from './load-code.ts';
import { useLasting } from './use-lasting.ts';

const SLOW_MS = 5000;

export function ConnectionStatus() {
  const message = useConnectionMessage();
  return (
    <div role="status" className={classes.area}>
      {message !== null && <p className={classes.message}>{message}</p>}
    </div>
  );
}

function useConnectionMessage(): string | null {
  const isOnline = useSyncExternalStore(
    (changed) => onlineManager.subscribe(changed),
    () => onlineManager.isOnline(),
  );
  const failing = useIsFetching({ predicate: ({ state }) => state.fetchFailureCount > 0 });
  const isServerAwaited = useIsServerAwaited();
  const isSlow = useLasting(useIsFetching() > 0, SLOW_MS);
  if (!isOnline) return t('connection.offline');
  if (failing > 0 || isServerAwaited) return t('connection.busy');
  return isSlow ? t('connection.slow') : null;
}
