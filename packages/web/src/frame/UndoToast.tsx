// Says at the foot of the page what was just done, with a button that undoes it.
import { Suspense } from 'react';
import { lazyPart } from './load-code.ts';
import classes from './UndoToast.module.css';
import { useUndoable } from './undo.ts';

const UndoOffer = lazyPart(async () => (await import('./UndoOffer.tsx')).UndoOffer);

export function UndoToast() {
  const undoable = useUndoable();
  return (
    <div role="status" className={classes.area}>
      <Suspense>{undoable !== null && <UndoOffer key={undoable.id} undoable={undoable} />}</Suspense>
    </div>
  );
}
