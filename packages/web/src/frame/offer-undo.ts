// The last action that was done at once, without asking, and how to undo it.
import { useSyncExternalStore } from 'react';

export type Undoable = {
  /** What was done: `rain.webp was deleted.` */
  readonly message: string;
  readonly undo: () => Promise<unknown>;
};

export type Offered = Undoable & { readonly id: number };

let offered: Offered | null = null;
let count = 0;
const listeners = new Set<() => void>();

/** Shows what was done, with a button that undoes it, instead of what was offered before. */
export function offerUndo(undoable: Undoable | null): void {
  count += 1;
  offered = undoable === null ? null : { ...undoable, id: count };
  for (const listener of listeners) listener();
}

export function useUndoable(): Offered | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => offered,
  );
}
