// Says at the foot of the page what keeps data from coming, while the page asks again by itself: no network, a service that is away, or a slow one.
import { onlineManager, useIsFetching } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import classes from './Trouble.module.css';

const SLOW_MS = 5000;

export function Trouble() {
  const says = useTrouble();
  return (
    <div role="status" className={classes.place}>
      {says !== null && <p className={classes.words}>{says}</p>}
    </div>
  );
}

function useTrouble(): string | null {
  const isOnline = useSyncExternalStore(
    (changed) => onlineManager.subscribe(changed),
    () => onlineManager.isOnline(),
  );
  const failing = useIsFetching({ predicate: ({ state }) => state.fetchFailureCount > 0 });
  const isSlow = useLasting(useIsFetching() > 0);
  if (!isOnline) return 'You are offline. The page goes on by itself once you are back.';
  if (failing > 0) return 'The service is away, or asked to wait. The page tries again by itself.';
  return isSlow ? 'This takes longer than usual.' : null;
}

/** Whether it has been so for longer than a page mostly takes. */
function useLasting(isSo: boolean): boolean {
  const [lasts, setLasts] = useState(false);
  useEffect(() => {
    if (!isSo) return setLasts(false);
    const timer = setTimeout(() => setLasts(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, [isSo]);
  return isSo && lasts;
}
