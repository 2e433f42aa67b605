// The result of an action, which stays while the action runs again, so that the button that was pressed stays, too.
import { useState } from 'react';

/** The data of a mutation or, while it is pending, that of the last time. */
export function useKeptData<Data>({ data, isPending }: { data: Data | undefined; isPending: boolean }) {
  const [kept, setKept] = useState(data);
  if (!isPending && data !== kept) setKept(data);
  return isPending ? kept : data;
}
